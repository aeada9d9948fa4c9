import type { Role } from '../../domain/account/roles.ts'

/**
 * What each role may do, by what it has beside another one. Written from the design of the roles, not from the
 * product's own table (N-27).
 */
export const DESIGN: Readonly<Record<Exclude<Role, 'custom'>, string>> = {
  clerk: 'transactions.view payment-links.view payment-links.create',
  teller: '+clerk checkouts.view resources.view',
  lead: '+teller transactions.edit offers.manage',
  supervisor: '+lead transactions.refund discounts.edit',
  manager: '+supervisor checkouts.edit resources.edit fields.edit landers.view landers.edit stores.view',
  director: '+manager design.edit stores.edit settings.view billing.view',
  officer: '+director wallets.view payouts.view payouts.request transactions.export',
  admin: '+officer settings.edit wallets.edit sandbox-keys.manage billing.spend game.use',
  'master-admin': '+admin payments.processors.view payments.processors.edit audit.view',
  accountant:
    'transactions.view checkouts.view payment-links.view resources.view wallets.view landers.view stores.view settings.view ' +
    'payments.processors.view billing.view payouts.view transactions.export',
  auditor:
    'transactions.view checkouts.view payment-links.view resources.view wallets.view landers.view stores.view settings.view ' +
    'payments.processors.view billing.view payouts.view audit.view',
  designer: 'design.edit landers.view landers.edit checkouts.view',
}
/** Its capabilities, in full. */
export const designed = (role: Exclude<Role, 'custom'>): string[] =>
  DESIGN[role].split(' ').flatMap((word) => {
    const base = word.startsWith('+') && (word.slice(1) as Exclude<Role, 'custom'>)
    return base ? designed(base) : [word]
  })
