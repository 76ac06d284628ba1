import { expect, test } from 'vitest'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import { issuerFindings } from '../../../../src/drivers/kubernetes/preflight/issuer-findings.ts'

const HOSTS: Record<string, string[]> = {
  'public.example.com': ['93.184.215.14', '2606:2800::1'],
  'private.example.com': ['93.184.215.14', '10.1.2.3'],
  'dex.auth.svc': ['10.96.0.5'],
}

/** What is found about an issuer with this URL. */
function found(url: string, egress: string[] = []) {
  const jwt = [{ issuer: { url, audiences: ['dev'] } }]
  const spec = resolveSpec({ authentication: { jwt }, apiServer: { egress } }, 'kubernetes')
  const resolve = async (host: string) => HOSTS[host] ?? Promise.reject(new Error('ENOTFOUND'))
  return issuerFindings({ spec, resolve })
}

test('warns of an issuer in a private network', async () => {
  expect(await found('https://private.example.com/dev')).toEqual([
    {
      subject: 'issuer',
      level: 'warning',
      message:
        '"https://private.example.com/dev" is at 10.1.2.3, which kube-apiserver may not reach',
      hint: 'name "10.1.2.3/32" in "apiServer.egress"',
    },
  ])
})

test.for([
  ['at public addresses', 'https://public.example.com', []],
  ['at an address that is named', 'https://private.example.com', ['10.0.0.0/8']],
  ['that is a Service of the host', 'https://dex.auth.svc', []],
  ['without an address', 'https://nowhere.example.com', []],
  ['with an address as its name', 'https://10.1.2.3', []],
] as const)('says nothing about an issuer %s', async ([, url, egress]) => {
  expect(await found(url, [...egress])).toEqual([])
})
