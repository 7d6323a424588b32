import * as z from 'zod';

/** What the text of a variable may be, and what is made of it. */
export interface Kind<T> {
  /** Completes "it must be …". */
  readonly takes: string;
  readonly schema: z.ZodType<T, string>;
}

/** A whole number within bounds, both included. */
export function whole(min: number, max: number): Kind<number> {
  return {
    takes: `a whole number from ${min} to ${max}`,
    schema: z
      .string()
      .regex(/^\d{1,15}$/)
      .transform(Number)
      .pipe(z.number().min(min).max(max)),
  };
}

/** A number from 0 to 1. */
export function share(): Kind<number> {
  return {
    takes: 'a number from 0 to 1, as 0.75',
    schema: z
      .string()
      .regex(/^\d(\.\d{1,6})?$/)
      .transform(Number)
      .pipe(z.number().min(0).max(1)),
  };
}

export function oneOf<const T extends string>(values: readonly T[]): Kind<T> {
  return { takes: `one of ${values.join(', ')}`, schema: z.enum(values) };
}

/** A path; relative ones are meant from where the command runs. */
export function path(of: 'folder' | 'file' = 'folder'): Kind<string> {
  return { takes: `the path of a ${of}`, schema: z.string().max(4096).refine(hasNoNul) };
}

/** What begins the names of topics, as Kafka allows them. */
export function topicPrefix(): Kind<string> {
  return {
    takes: 'at most 100 of A–Z a–z 0–9 . _ -',
    schema: z.string().regex(/^[A-Za-z0-9._-]{1,100}$/),
  };
}

/** An address without a name or a password in it: those would end up in logs. */
export function httpAddress(): Kind<string> {
  return {
    takes: 'an http or https address, without a user or password in it',
    schema: z.string().max(2048).refine(isPlainHttp),
  };
}

/** What a header can carry. */
export function token(): Kind<string> {
  return { takes: 'printable ASCII without spaces', schema: z.string().regex(/^[\x21-\x7e]{1,8192}$/) };
}

/** Text without control characters, within bounds of characters. */
export function text(min: number, max: number): Kind<string> {
  return {
    takes: `${min} to ${max} characters, none of them a control character`,
    schema: z
      .string()
      .min(min)
      .max(max)

      .regex(/^[^\u0000-\u001f\u007f]*$/),
  };
}

/** An address that may carry a name and a password, so it is never shown. */
export function secretAddress(protocols: readonly string[]): Kind<string> {
  return {
    takes: `an address that begins with ${protocols.map((each) => `${each}//`).join(' or ')}`,
    schema: z
      .string()
      .max(2048)
      .refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol)),
  };
}

const BROKER = /^(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253}):(\d{1,5})$/;

/** Brokers with commas between them. */
export function brokerList(): Kind<readonly string[]> {
  return {
    takes: 'one or more host:port with commas between them',
    schema: z
      .string()
      .max(8192)
      .transform((value) => value.split(',').map((each) => each.trim()))
      .refine((brokers) => brokers.every((broker) => isPort(BROKER.exec(broker)?.[2]))),
  };
}

const HOST_NAME = /^(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})$/;

/** Names of hosts with commas between them, in lower case. */
export function nameList(): Kind<readonly string[]> {
  return {
    takes: 'one or more names of hosts, without ports, with commas between them',
    schema: listOf((name) => HOST_NAME.test(name)),
  };
}

/** Origins of pages in browsers with commas between them. */
export function originList(): Kind<readonly string[]> {
  return {
    takes: 'one or more origins, as https://app.example, with commas between them',
    schema: listOf((text) => URL.canParse(text) && new URL(text).origin === text),
  };
}

function listOf(isOne: (text: string) => boolean): z.ZodType<readonly string[], string> {
  return z
    .string()
    .max(8192)
    .transform((value) => value.split(',').map((each) => each.trim().toLowerCase()))
    .refine((values) => values.every(isOne));
}

function isPort(digits = '0'): boolean {
  const port = Number(digits);
  return port > 0 && port < 65_536;
}

function hasNoNul(text: string): boolean {
  return !text.includes('\u0000');
}

function isPlainHttp(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}
