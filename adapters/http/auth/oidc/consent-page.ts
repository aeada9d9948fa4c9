import { html } from 'htm/preact'
import { verifiedDomainOf } from '../../../../domain/signin/redirect-uris.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { PersonCaller } from '../../core/caller.ts'
import type { Reply } from '../../core/endpoint.ts'
import { peoplePage } from '../../pages/people-page.ts'
import type { AuthorizeRequest } from './authorize-request.ts'
import { emailOf } from './claims.ts'
import { type Begun, resumePath, signInPath } from './interactions.ts'
import { SCOPE_WORDS } from './scopes.ts'

/** What a user is asked before an app learns anything of them (A-OID-10): who asks, and in plain words for what. */
export const consentPage = async (
  flow: UseCaseContext,
  person: PersonCaller,
  asked: AuthorizeRequest,
  begun: Begun,
): Promise<Reply> => {
  const { app, redirectUri, scopes } = asked
  const domain = verifiedDomainOf(redirectUri, app.domains)
  const email = await emailOf(flow, person.sub)
  return peoplePage({
    title: `Sign in to ${app.name}`,
    formTo: [new URL(redirectUri).origin],
    cookies: begun.cookies,
    main: html`
      <p>
        <strong>${app.name}</strong>${domain === undefined ? ', a program on this device,' : html` (<strong>${domain}</strong>)`}
        ${' '}wants to know who you are. You are signed in as <strong>${email}</strong>.
      </p>
      <p>If you allow it, ${app.name} can:</p>
      <ul>
        ${scopes.map((scope) => html`<li>${SCOPE_WORDS[scope]}</li>`)}
      </ul>
      <form method="post" action=${`${resumePath}?interaction=${begun.id}`}>
        <input type="hidden" name="csrf" value=${person.csrf} />
        <button type="submit" name="decision" value="allow">Allow</button>
        <button type="submit" name="decision" value="deny" class="plain">Do not allow</button>
      </form>
      <p class="hint">
        You can take it back at any time in <a href="/account">your account</a>.
        ${' '}Not you? <a href=${signInPath(begun.id, true)}>Use another account</a>.
      </p>
    `,
  })
}
