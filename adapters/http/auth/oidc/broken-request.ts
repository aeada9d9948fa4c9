import { html } from 'htm/preact'
import type { Reply } from '../../core/endpoint.ts'
import { peoplePage } from '../../pages/people-page.ts'

/**
 * The page for a person whose app has sent them here with a request that is not in order; the last line is for the
 * maker of the app.
 */
export const brokenRequestPage = (detail: string, status = 400): Reply =>
  peoplePage({
    title: 'This link does not work',
    status,
    main: html`
      <p>The app that sent you here asked for something that cannot be done. Please go back and try again, or tell the people of the app.</p>
      <p class="hint">${detail}</p>
    `,
  })
