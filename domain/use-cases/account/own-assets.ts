import { assetOfToken, type CustomToken, tokenIn, walletCoin } from '../../account/custom-tokens.ts'
import type { Wallet } from '../../account/wallet.ts'
import { type Asset, assetOf, unknownAssetText } from '../../kernel/assets.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { Ledger } from '../../write-side/ledger.ts'

/** A coin that an account can be paid in: one of the catalogue, or a token of its own. */
export type OwnAsset = { readonly asset: Asset; readonly token: CustomToken | undefined }

/**
 * Finds an account's assets by their codes, the catalogue first (J-TOK-08). Its tokens are only looked up when a code
 * asks for it; `read` and `recent` are those of the ledger.
 */
export const ownAssets = async (
  ledger: Ledger,
  accountId: string,
  codes: readonly string[],
  look: 'read' | 'recent',
): Promise<(code: string) => OwnAsset | undefined> => {
  const tokens = codes.every((code) => assetOf(code)) ? {} : await ledger.customTokens[look](accountId)
  return (code) => {
    const asset = assetOf(code)
    if (asset) return { asset, token: undefined }
    const token = tokenIn(tokens, code)
    return token && { asset: assetOfToken(token), token }
  }
}

/** Finds one of an account's assets by its code. Refuses `unknown-asset`. */
export const ownAssetNamed = async (ledger: Ledger, accountId: string, code: string): Promise<OwnAsset> =>
  (await ownAssets(ledger, accountId, [code], 'read'))(code) ?? refuse('unknown-asset', unknownAssetText(code))

/** The wallet of an asset; undefined when its addresses were given for a contract that the code no longer means. */
export const walletOf = ({ token }: OwnAsset, wallet: Wallet | undefined): Wallet | undefined =>
  wallet?.coin === (token && walletCoin(token)) ? wallet : undefined
