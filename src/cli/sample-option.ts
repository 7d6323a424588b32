import type { Config } from '../config/config.js';
import { inputInvalid } from './input.js';

/** `--sample` of the commands that run a review; it wins over PROOFLINE_REVIEW_SAMPLE. */
export const SAMPLE_OPTION = [
  '--sample <RATE>',
  'share (0 to 1) of the drafts that would be published which a person sees first',
] as const;

/** @throws ProoflineError PL_INPUT_INVALID. */
export function withSample(config: Config, rate: string | undefined): Config {
  if (rate === undefined) return config;
  const sample = /^(0|1|[01]?\.\d{1,6})$/.test(rate) ? Number(rate) : NaN;
  if (!(sample <= 1))
    throw inputInvalid(
      `--sample is ${JSON.stringify(rate.slice(0, 40))}; it must be a number from 0 to 1, as 0.05`,
    );
  return { ...config, review: { ...config.review, sample } };
}
