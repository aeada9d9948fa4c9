import { eventually } from '../src/demo/stage.ts'
import type { BenchService } from './service.ts'

/** A member who is signed in to the dashboard of a measured service, as a browser signs in. */

/** Follows the letter to an address, and signs in. @returns the cookie of the session */
export const memberCookie = async (
  { origin, client }: Pick<BenchService, 'origin' | 'client'>,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<string> => {
  const link = new URL(await letterTo(client, email))
  await fetch(origin + link.pathname + link.search)
  const form = await fetch(`${origin}/dashboard/sign-in`, { headers: HTML })
  const guest = cookiesOf(form)
  const csrf = /name="csrf" value="([^"]+)"/.exec(await form.text())?.[1] ?? ''
  const answer = await fetch(`${origin}/dashboard/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...HTML, cookie: guest, origin, 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ csrf, email, password }),
  })
  if (answer.status !== 303) throw new Error(`the sign-in answered ${answer.status}: ${await answer.text()}`)
  return cookiesOf(answer)
}

const HTML = { accept: 'text/html' }

const cookiesOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')

const letterTo = (client: BenchService['client'], email: string): Promise<string> =>
  eventually(`the letter to ${email}`, async () => {
    const letters: { to: string; links: string[] }[] = await client.json('GET', '/dev/inbox.json', {})
    return letters.find(({ to }) => to === email)?.links[0]
  })
