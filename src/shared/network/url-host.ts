/** A host as in a URL: an IPv6 address has brackets. */
export function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
