import { html } from 'htm/preact'
import type { Reply } from '../../../core/endpoint.ts'
import { hiddenFields } from '../../people/fields.ts'
import { dashboardPage, type PageMember } from '../frame.ts'
import { localeFor } from '../messages/locale.ts'
import { formRow } from '../parts/form-row.ts'
import { dialog } from '../parts/notices.ts'
import { dollars, type GrantFields, grantFields, priceNotice } from './grants-form.ts'
import { TEAM } from './team.ts'

/** The pages by which an owner invites somebody, and changes or removes a member. */

type InvitePage = GrantFields & { readonly member: PageMember; readonly email: string }

export const invitePage = ({ member, email, ...grants }: InvitePage): Reply => {
  const locale = localeFor(member)
  const { team: words } = locale.words
  const { faults, asks } = grants
  return dashboardPage({
    ...((faults || asks !== undefined) && { status: 422 }),
    title: words.invite,
    member,
    current: 'team',
    main: html`
      <p>${words.inviteText}</p>
      <form method="post" action=${`${TEAM}/invite`} class="narrow">
        ${hiddenFields({ csrf: member.csrf })} ${priceNotice(locale, asks)}
        ${formRow({ name: 'email', type: 'email', label: words.email, value: email, error: faults?.email, required: true, maxlength: 254 })}
        ${grantFields(locale, grants)}
        <button type="submit">${asks === undefined ? words.inviteButton : words.agree(dollars(locale, asks))}</button>
      </form>
      <p><a class="touch" href=${TEAM}>${words.back}</a></p>
    `,
  })
}

type MemberPage = GrantFields & { readonly member: PageMember; readonly number: number; readonly email: string }

export const teamMemberPage = ({ member, number, email, ...grants }: MemberPage): Reply => {
  const locale = localeFor(member)
  const { team: words } = locale.words
  const { faults, asks } = grants
  const at = `${TEAM}/members/${number}`
  return dashboardPage({
    ...((faults || asks !== undefined) && { status: 422 }),
    title: email,
    member,
    current: 'team',
    main: html`
      <form method="post" action=${at} class="narrow">
        ${hiddenFields({ csrf: member.csrf, act: 'change' })} ${priceNotice(locale, asks, 'more')}
        ${grantFields(locale, grants)}
        <button type="submit">${asks === undefined ? words.save : words.agree(dollars(locale, asks))}</button>
      </form>
      ${dialog(
        words.remove,
        html`
          <form method="post" action=${at} class="narrow">
            ${hiddenFields({ csrf: member.csrf, act: 'remove' })}
            <p>${words.removeText}</p>
            <button type="submit">${words.remove}</button>
          </form>
        `,
      )}
      <p><a class="touch" href=${TEAM}>${words.back}</a></p>
    `,
  })
}
