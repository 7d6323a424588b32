/** Both results. Rejects only when both have ended: what goes on after an error would go on beside what follows it. */
export async function both<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b]);
  return Promise.all([a, b]);
}
