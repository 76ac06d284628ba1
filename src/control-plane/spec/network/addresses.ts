import { isIP, isIPv4 } from 'node:net'
import { toHostName } from '../../../shared/network/host-name.ts'

/** kube-apiserver requires 8 addresses, and 16 million are more than any plane needs. */
export function isServiceRange(text: string): boolean {
  const [, address = '', prefix = ''] = /^([\d.]+)\/(\d{1,2})$/.exec(text) ?? []
  return isIPv4(address) && Number(prefix) >= 8 && Number(prefix) <= 29
}

/** Leaves room for `kubernetes.default.svc.` in front, and for the names of other Services. */
export function isDomain(text: string): boolean {
  const isPlain = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(text)
  return isPlain && text.length <= 180 && toHostName(text) === text
}

/** OpenID Connect Discovery allows neither a query nor a fragment. */
export function isIssuer(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === 'https:' && url.username === '' && !/[?#\s]/.test(text)
}

export function isSan(text: string): boolean {
  return toHostName(text) !== undefined || (isIP(text) !== 0 && !text.includes('%'))
}
