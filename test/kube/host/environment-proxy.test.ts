import { expect, test } from 'vitest'
import { proxyFromEnvironment } from '../../../src/kube/host/environment-proxy.ts'
import { thrownBy } from '../../support/thrown-by.ts'

const PROXY = { HTTPS_PROXY: 'http://proxy:3128' }

test.for([
  ['https://api.example.com', PROXY, 'http://proxy:3128/'],
  ['https://api.example.com', { https_proxy: 'proxy:3128' }, 'http://proxy:3128/'],
  ['https://api.example.com', { ...PROXY, https_proxy: 'http://other' }, 'http://proxy:3128/'],
  ['https://api.example.com', { HTTPS_PROXY: '', https_proxy: 'http://other' }, 'http://other/'],
  ['https://api.example.com', { HTTPS_PROXY: 'socks5://proxy:1080' }, 'socks5://proxy:1080'],
  ['https://api.example.com', { HTTP_PROXY: 'http://proxy:3128' }, undefined],
  ['http://api.example.com', { HTTP_PROXY: 'http://proxy:3128' }, 'http://proxy:3128/'],
  ['http://api.example.com', PROXY, undefined],
  ['https://api.example.com', {}, undefined],
] as const)('leads to %s by %j through %s', ([server, environment, proxy]) => {
  expect(proxyFromEnvironment(new URL(server), environment)?.href).toBe(proxy)
})

test.for([
  'https://localhost:6443',
  'https://127.0.0.1:6443',
  'https://127.8.8.8',
  'https://[::1]',
])('needs no proxy to %s', (server) => {
  expect(proxyFromEnvironment(new URL(server), PROXY)).toBeUndefined()
})

test.for([
  ['https://api.example.com', '*', false],
  ['https://api.example.com', 'other.com, API.example.com ', false],
  ['https://api.example.com', 'example.com', false],
  ['https://api.example.com', '.example.com', false],
  ['https://api.example.com', '*.example.com', false],
  ['https://example.com', 'example.com', false],
  ['https://example.com', '.example.com', true],
  ['https://example.com', '*.example.com', true],
  ['https://badexample.com', 'example.com', true],
  ['https://api.example.com', 'example.com:443', false],
  ['https://api.example.com:6443', 'example.com:443', true],
  ['https://10.0.0.7', '10.0.0.7', false],
  ['https://10.0.0.7', '10.0.0.7:443', false],
  ['https://10.0.0.7:6443', '10.0.0.7:443', true],
  ['https://10.0.0.7', '10.0.0.0/24', false],
  ['https://10.0.1.7', '10.0.0.0/24', true],
  ['https://10.0.0.7', '10.0.0.0/64', true],
  ['https://[fd00::7]:6443', 'fd00::7', false],
  ['https://[fd00::7]:6443', '[fd00::7]:6443', false],
  ['https://[fd00::7]:6443', '[fd00::7]:443', true],
  ['https://[fd00::7]:6443', 'fd00::/8', false],
  ['https://api.example.com', ',, :443, /8, api', true],
] as const)('to %s with NO_PROXY=%s uses the proxy: %s', ([server, list, isUsed]) => {
  const proxy = proxyFromEnvironment(new URL(server), { ...PROXY, NO_PROXY: list })

  expect(proxy !== undefined).toBe(isUsed)
})

test.for(['ftp://proxy', 'socks4://proxy', 'http://', 'pass word@'])('refuses %s', (value) => {
  const environment = { HTTPS_PROXY: value }

  const error = thrownBy(() => proxyFromEnvironment(new URL('https://a.b'), environment))

  expect(error).toMatchObject({ code: 'FAILED' })
  expect(error.message).toMatch(/^HTTPS_PROXY is not the address of a proxy/)
  expect(error.message).not.toContain('pass')
})
