import type { World } from '../kernel/ports.ts'

/** A code of 40 bits that is mailed before the first second factor is added, and typed into the page that asks. */

const CHARACTERS = 8

/** Minutes for which it works. */
export const CODE_MINUTES = 15

export const newCode = (world: Pick<World, 'id'>): string => world.id('c').slice(2, 2 + CHARACTERS)

/** The token that stands for a code of one person, however the code is typed. */
export const codeToken = (personId: string, code: string): string =>
  `${personId}.${code.toLowerCase().replaceAll(/[^a-z2-7]/g, '')}`

export const codeLetter = (to: string, code: string) => ({
  to,
  subject: 'Your code',
  text: [
    'You are about to add a second step to how you sign in. Type this code into the page that asks for it:',
    '',
    `${code.slice(0, CHARACTERS / 2)}-${code.slice(CHARACTERS / 2)}`,
    '',
    `It works for ${CODE_MINUTES} minutes. If this was not you, somebody knows your password: choose a new one.`,
  ].join('\n'),
})
