/** What happens to this process's lanes on Kafka, for who watches it. They MUST NOT throw and MUST NOT wait. */
export interface KafkaEvents {
  /** The process is a member of the group, for the first time or again. */
  joined(group: string): void;
  /** It could not stay one, and tries again. */
  memberFailed(group: string, error: unknown): void;
  committed(group: string, partition: number): void;
  /** A transaction failed; what became of a commit that failed shows when the lane has started over. */
  aborted(group: string, partition: number): void;
  /** Somebody else has taken the lane over. */
  fenced(group: string, partition: number): void;
}

const nothing = (): void => undefined;

export const noKafkaEvents: KafkaEvents = {
  joined: nothing,
  memberFailed: nothing,
  committed: nothing,
  aborted: nothing,
  fenced: nothing,
};
