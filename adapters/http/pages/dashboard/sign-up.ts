import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import { peoplePage } from '../people-page.ts'

/** The page after sign-up: the owner key, once, and the letter to be opened. It is the same for every address. */
export const newAccountPage = (email: string, apiKey: string): Reply =>
  peoplePage({
    title: 'Look into your mail',
    main: html`
      <p>We have sent a letter to <strong>${email}</strong>. Open the link in it, and you can sign in.</p>
      <section>
        <h2>Your owner key</h2>
        <p>Programs of yours use it. It is shown <strong>now and never again</strong>; whoever has it may act for your account.</p>
        <p><code>${apiKey}</code></p>
      </section>
      <p class="hint">The letter may take a minute, and may be among unwanted mail.</p>
      <p class="ways"><a href="/dashboard/sign-in">Sign in</a></p>
    `,
  })
