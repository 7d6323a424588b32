export interface RedisServiceOptions {
  /**
   * Lines of redis.conf, as `{ 'maxmemory-policy': 'allkeys-lru' }`. Without `save` or `appendonly` it keeps nothing on
   * its disk, so that a restart empties it.
   */
  readonly config?: Readonly<Record<string, string>>;
  /** An RDB file that it begins with. */
  readonly dump?: string;
}

/** Keeps nothing on its disk; what is asked for wins. */
const DEFAULTS = { save: '', appendonly: 'no', 'protected-mode': 'no' };

export function redisArguments(wanted: Readonly<Record<string, string>>): string[] {
  return Object.entries({ ...DEFAULTS, ...wanted }).flatMap(([name, value]) => [`--${name}`, value]);
}
