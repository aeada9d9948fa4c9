import { z } from 'zod'
import { WEB3_NAMES_MAX } from '../../../../domain/account/settings.ts'
import { HttpsUrl } from '../../core/https-url.ts'
import { recordOf } from '../../core/record-of.ts'
import { CurrencyCode, FiatAmount } from '../common/amounts.ts'
import { WebhookChange, webhookFacts } from '../common/webhooks.ts'
import { Ap2Change, Ap2Shown } from './settings-ap2.ts'

/**
 * The settings on the wire (J-SET-01, J-SET-02). Of a map, null removes a name. Fields that do not exist are refused,
 * so that nobody believes them saved.
 */

const CONFIRMATIONS_MAX = 200
const INCREASE_TIERS_MAX = 10
const ASSETS_MAX = 100
const BRAND_NAME_MAX = 100
const SERVICE_MAX = 32
const NAME_MAX = 255
/** Characters of the name of a time zone; the longest has 32. */
const ZONE_MAX = 64

const Depth = z.int().min(0).max(CONFIRMATIONS_MAX)
const Tier = z.strictObject({ above: FiatAmount, confirmations: Depth })

const Colour = z.string().regex(/^(#[0-9a-fA-F]{6})?$/, 'has to be a colour as #rrggbb')
const Percent = z
  .number()
  .min(0)
  .max(100)
  .refine((value) => Math.round(value * 100) / 100 === value, 'has to have at most 2 places after the point')

export const SettingsChange = z.strictObject({
  confirmations: z
    .strictObject({
      default: Depth.nullable().optional(),
      coins: recordOf(z.string().max(SERVICE_MAX), Depth.nullable(), ASSETS_MAX).optional(),
      increase: z.array(Tier).max(INCREASE_TIERS_MAX).optional(),
    })
    .optional(),
  webhook: WebhookChange.optional(),
  currency: CurrencyCode.optional(),
  time_zone: z.string().max(ZONE_MAX).optional(),
  payment: z
    .strictObject({
      accept_underpayments: Percent.optional(),
      redirect: HttpsUrl.optional(),
      refunds: z.boolean().optional(),
      odd_payments: z.enum(['take', 'ask']).optional(),
      ap2: Ap2Change.optional(),
    })
    .optional(),
  notifications: z.strictObject({ email: z.boolean().optional() }).optional(),
  branding: z
    .strictObject({
      brand_name: z.string().max(BRAND_NAME_MAX).optional(),
      logo_url: HttpsUrl.optional(),
      logo_url_dark: HttpsUrl.optional(),
      color_1: Colour.optional(),
      color_2: Colour.optional(),
      color_3: Colour.optional(),
    })
    .optional(),
  web3_names: recordOf(
    z.string().min(1).max(SERVICE_MAX),
    z.string().max(NAME_MAX).nullable(),
    WEB3_NAMES_MAX,
  ).optional(),
})
export type SettingsPatch = z.output<typeof SettingsChange>

export const SettingsShown = z
  .object({
    confirmations: z.object({
      default: z.int().nullable(),
      coins: z.record(z.string(), z.int()),
      increase: z.array(z.object({ above: z.number(), confirmations: z.int() })),
    }),
    webhook: z.object({ ...webhookFacts, secret: z.string().optional() }),
    currency: z.string(),
    time_zone: z.string().optional(),
    address_reuse_cooldown: z.int(),
    payment: z.object({
      accept_underpayments: z.number(),
      redirect: z.string(),
      refunds: z.literal(true).optional(),
      odd_payments: z.literal('ask').optional(),
      ap2: Ap2Shown.optional(),
    }),
    notifications: z.object({ email: z.boolean() }),
    branding: z.object({
      brand_name: z.string(),
      logo_url: z.string(),
      logo_url_dark: z.string(),
      color_1: z.string(),
      color_2: z.string(),
      color_3: z.string(),
    }),
    web3_names: z.record(z.string(), z.string()).optional(),
  })
  .meta({ id: 'Settings', description: 'How the account wants to sell; the cooldown is in seconds.' })
