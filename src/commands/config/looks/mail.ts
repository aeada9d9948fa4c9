import { askMailServer, type MailServer } from '../../../../adapters/mail/ask-server.ts'
import { describe } from '../../../console/failures.ts'
import type { Config } from '../../../settings/config.ts'
import { type Finding, fine, type Looked, misfit } from './finding.ts'

const WHAT = 'mail'
const SETTING = 'SMTP_URL'

/** The mail server: greeting, encryption and sign-in, as a letter would find them. No letter is sent. */
export const lookAtMail = async ({ smtpUrl, mailFrom, production }: Config): Promise<Looked> => {
  if (smtpUrl === undefined)
    return { findings: [fine(WHAT, SETTING, 'none: letters stay on the page /dev/inbox, for everybody to read')] }
  const server = await askMailServer(smtpUrl).catch((error: unknown) => error as NodeJS.ErrnoException)
  const findings = [server instanceof Error ? failure(server) : serverFinding(server)]
  if (production && /@localhost\b/.test(mailFrom))
    findings.push(
      misfit(
        WHAT,
        'MAIL_FROM',
        `letters would come from ${mailFrom}, to which nobody can answer`,
        'Set it to an address of yours, as in MAIL_FROM=Daybook <daybook@example.com>.',
      ),
    )
  return { findings }
}

const serverFinding = ({ host, encrypted, signIn }: MailServer): Finding => {
  const how = `${host} takes letters ${encrypted ? 'over TLS' : 'without TLS'}`
  if (signIn === 'not-offered')
    return misfit(
      WHAT,
      SETTING,
      `${how}, and offers no sign-in${encrypted ? '' : ' without TLS'}`,
      encrypted ? 'Leave user and password out.' : 'Use a port with STARTTLS, as in smtp://…:587?requireTLS=true.',
    )
  if (signIn === 'done' && !encrypted && !/^(localhost|127\.|\[?::1)/.test(host))
    return misfit(
      WHAT,
      SETTING,
      `${how}, so that the password travels in the clear`,
      'Add ?requireTLS=true, or use smtps://.',
    )
  return fine(WHAT, SETTING, `${how}${signIn === 'done' ? ', and knows the user' : ', without sign-in'}`)
}

const failure = (error: NodeJS.ErrnoException): Finding =>
  misfit(
    WHAT,
    SETTING,
    describe(error),
    REMEDIES[error.code ?? ''] ?? 'Look whether the server runs there, or correct the address.',
  )

/** By the codes of nodemailer. */
const REMEDIES: Readonly<Record<string, string>> = {
  EAUTH: 'Correct the user or the password, URL-encoded.',
  EDNS: 'Correct the name of the host.',
  ETLS: 'Use smtps:// for a port that speaks TLS at once (465), smtp:// for one with STARTTLS (587).',
  ETIMEDOUT: 'Look whether a firewall is between; many networks close port 25, and leave 587 open.',
}
