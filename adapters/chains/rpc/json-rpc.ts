import type { Providers } from './providers.ts'

/** The client of one provider. Rejects with ProviderRefusal when it answered with an error. */
export type JsonRpcClient = { call<T>(method: string, params: readonly unknown[], signal: AbortSignal): Promise<T> }

export type JsonRpc = Providers<JsonRpcClient> & {
  /** The result of one call, from whichever provider gives it; rejects as `ask` does. */
  call<T>(method: string, params: readonly unknown[]): Promise<T>
}

export const jsonRpc = (providers: Providers<JsonRpcClient>): JsonRpc => ({
  ...providers,
  call: <T>(method: string, params: readonly unknown[]) =>
    providers.ask(method, (client, signal) => client.call<T>(method, params, signal)),
})
