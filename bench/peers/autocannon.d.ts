/** The part of autocannon that is used; the package brings no types. */
declare module 'autocannon' {
  type Request = { method?: string; headers?: Record<string, string>; body?: string }
  export default function autocannon(options: {
    url: string
    connections: number
    duration: number
    requests: (Request & { setupRequest?(request: Request): Request })[]
  }): Promise<{
    errors: number
    duration: number
    latency: { p50: number; p99: number }
    statusCodeStats: Record<string, { count: number }>
  }>
}
