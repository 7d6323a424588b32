/** What a registry may demand of a subject's next schema. */
export const compatibilities = [
  'NONE',
  'BACKWARD',
  'BACKWARD_TRANSITIVE',
  'FORWARD',
  'FORWARD_TRANSITIVE',
  'FULL',
  'FULL_TRANSITIVE',
] as const;

export type Compatibility = (typeof compatibilities)[number];
