/** Tells a service that is down from one lookup that has no luck: by how many in a row went without an answer. */
export interface AnswerStreak {
  /** Somebody was answered. */
  answered(): void;
  /** A lookup used up its attempts. */
  unanswered(): void;
  /** True after `downAfter` lookups in a row without an answer, until one is answered. */
  readonly isDown: boolean;
}

export function createAnswerStreak(downAfter: number): AnswerStreak {
  let inARow = 0;
  return {
    answered() {
      inARow = 0;
    },
    unanswered() {
      inARow += 1;
    },
    get isDown() {
      return inARow >= downAfter;
    },
  };
}
