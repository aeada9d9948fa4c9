import { eventually } from '../../src/demo/stage.ts'
import type { TestApp } from './app.ts'

/** The letters of a seller, and the links in those about the owner key. */

type Called = Pick<TestApp, 'call'>
export type Letter = { to: string; subject: string; text: string; links: string[] }

/** The letters to an address, the newest first. */
export const letters = async (app: Called, email: string): Promise<Letter[]> => {
  const { json } = await app.call('GET', '/dev/inbox.json')
  return (json as Letter[]).filter(({ to }) => to === email)
}

export const letterTo = (app: Called, email: string, subject: string): Promise<Letter> =>
  eventually(`a letter about: ${subject}`, async () =>
    (await letters(app, email)).find((each) => each.subject === subject),
  )

export const recoveryLetters = (app: Called, email: string, count: number): Promise<Letter[]> =>
  eventually(`${count} letters with a link`, async () => {
    const found = (await letters(app, email)).filter(({ text }) => text.includes('/recover-key/confirm'))
    return found.length >= count && found
  })

export const tokenOf = (letter: Letter | undefined): string => /token=(\S+)/.exec(letter?.text ?? '')?.[1] ?? ''

export const recoveryToken = async (app: Called, email: string): Promise<string> =>
  tokenOf((await recoveryLetters(app, email, 1))[0])
