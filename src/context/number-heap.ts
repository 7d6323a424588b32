/** The smallest number first. */
export interface NumberHeap {
  push(value: number): void;
  /** Takes the smallest away; undefined when there is none. */
  pop(): number | undefined;
}

export function createHeap(): NumberHeap {
  const heap: number[] = [];

  function push(value: number): void {
    let at = heap.length;
    heap.push(value);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] ?? 0;
      if (above <= value) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = value;
  }

  function pop(): number | undefined {
    const smallest = heap[0];
    const last = heap.pop();
    if (last !== undefined && heap.length > 0) sink(last);
    return smallest;
  }

  /** Puts the value in at the top and lets it sink to its place. */
  function sink(value: number): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if ((heap[child + 1] ?? Infinity) < (heap[child] ?? 0)) child += 1;
      const below = heap[child] ?? 0;
      if (below >= value) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = value;
  }

  return { push, pop };
}
