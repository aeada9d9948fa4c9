import { createDownloads } from '../adapters/http/agent/downloads.ts'
import { agentSurface } from '../adapters/http/agent/index.ts'
import { authSurface } from '../adapters/http/auth/index.ts'
import { openapi } from '../adapters/http/openapi.ts'
import { paySurface } from '../adapters/http/pay/index.ts'
import type { Surface } from '../adapters/http/surface.ts'

/** The three APIs. */
export const surfaces = (): readonly Surface[] => {
  const downloads = createDownloads()
  return [agentSurface(downloads), authSurface(), paySurface(downloads)]
}

/** The document at `/openapi.json` and in docs/: one truth, made from the endpoints. */
export const openapiDocument = (): object => openapi({ title: 'Daybook', version: '0.7.3' }, surfaces())
