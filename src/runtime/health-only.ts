import type { RequestListener } from 'node:http'
import { SAFE } from '../../adapters/http/serving/safe-headers.ts'

const HEALTH = new Set(['/healthz', '/readyz'])

/** What a process without the part `web` answers: how it is, and nothing else. */
export const healthOnly =
  (listener: RequestListener): RequestListener =>
  (request, response) => {
    if (HEALTH.has(request.url?.split('?', 1)[0] ?? '')) return listener(request, response)
    response.writeHead(404, { ...SAFE, 'Content-Type': 'application/json', Connection: 'close' })
    response.end(JSON.stringify(ELSEWHERE))
  }

const ELSEWHERE = {
  success: false,
  error: 'svc_not_found',
  error_code: 'svc_not_found',
  message: 'This process answers /healthz and /readyz alone. Ask one that serves the part web.',
}
