/** The languages in which the project speaks to models. */
export const languages = ['en', 'zh'] as const;
export type Language = (typeof languages)[number];
