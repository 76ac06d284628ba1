import { expect, test } from 'vitest'
import { createGuard, type GuardedRequest } from '../../../src/tunnel/proxy/proxy-guard.ts'

const BROWSER_HOST = 'some-name.localhost:8001'
const judge = createGuard({
  port: 8001,
  browserHost: BROWSER_HOST,
  token: 'secret',
  session: 'browser',
})
const HOST = { host: '127.0.0.1:8001' }
const BROWSER = { host: BROWSER_HOST }
const BEARER = { authorization: 'Bearer secret' }
const COOKIE = { cookie: 'vplane-proxy-8001=browser' }

function get(url: string, headers: GuardedRequest['headers']) {
  return judge({ method: 'GET', url, headers })
}

test.for([
  ['the token as bearer', { ...HOST, ...BEARER }],
  ['the token as bearer, however that is spelled', { ...HOST, authorization: 'bearer secret' }],
  ['the cookie', { ...BROWSER, ...COOKIE }],
  ['the cookie among others', { ...BROWSER, cookie: 'a=b; vplane-proxy-8001=browser;c=d=e' }],
  ['localhost for its address', { host: 'LocalHost:8001', ...BEARER }],
  ['its own page as origin', { ...BROWSER, ...COOKIE, origin: `http://${BROWSER_HOST}` }],
  ['a page of its own', { ...BROWSER, ...COOKIE, 'sec-fetch-site': 'same-origin' }],
  ['an address that a user typed', { ...BROWSER, ...COOKIE, 'sec-fetch-site': 'none' }],
] as const)('lets a request pass with %s', ([, headers]) => {
  expect(get('/api/v1/namespaces?limit=500', headers).kind).toBe('pass')
})

test.for([
  ['no token', HOST],
  ['a wrong token', { ...HOST, authorization: 'Bearer wrong' }],
  ['a token that is a part of the right one', { ...HOST, authorization: 'Bearer secre' }],
  ['another kind of authorization', { ...HOST, authorization: 'Basic secret' }],
  ['a wrong cookie', { ...BROWSER, cookie: 'vplane-proxy-8001=wrong' }],
  ['the cookie at an address that other ports have, too', { ...HOST, ...COOKIE }],
  ['the cookie of another proxy', { ...BROWSER, cookie: 'vplane-proxy-8002=browser' }],
  ['the token as cookie', { ...BROWSER, cookie: 'vplane-proxy-8001=secret' }],
  ['an empty bearer', { ...HOST, authorization: 'Bearer ' }],
] as const)('requires the token with %s', ([, headers]) => {
  expect(get('/api', headers)).toMatchObject({ kind: 'refuse', status: 401 })
})

test.for([
  ['a name that was made to lead here', { host: 'evil.example:8001', ...BEARER }],
  ['another port', { host: '127.0.0.1:8002', ...BEARER }],
  ['no host', BEARER],
  ['another page as origin', { ...BROWSER, ...COOKIE, origin: 'http://evil.example' }],
  [
    'another program of this machine as origin',
    { ...BROWSER, ...COOKIE, origin: 'http://127.0.0.1:3000' },
  ],
  ['no page that tells who it is', { ...BROWSER, ...COOKIE, origin: 'null' }],
  ['a page of another site', { ...BROWSER, ...COOKIE, 'sec-fetch-site': 'cross-site' }],
  ['a page of another port', { ...BROWSER, ...COOKIE, 'sec-fetch-site': 'same-site' }],
] as const)('refuses %s, whatever else it sends', ([, headers]) => {
  expect(get('/api', headers)).toMatchObject({ kind: 'refuse', status: 403 })
})

test.for(['http://example.com/', 'example.com:443', ''])('is no proxy for %j', (url) => {
  expect(get(url, { ...HOST, ...BEARER })).toMatchObject({ kind: 'refuse', status: 400 })
})

test.for([
  ['/?token=secret', '/'],
  ['/api/v1/pods?limit=5&token=secret&watch=1', '/api/v1/pods?limit=5&watch=1'],
  ['//evil.example/?token=secret', '/'],
  ['/\\evil.example/?token=secret', '/'],
] as const)('sends a browser a cookie for the token in %s', ([url, location]) => {
  expect(get(url, BROWSER)).toEqual({
    kind: 'enter',
    location,
    cookie: 'vplane-proxy-8001=browser; Path=/; HttpOnly; SameSite=Strict',
  })
})

test('sends a browser with the token to a host whose cookies no other port gets', () => {
  expect(get('//evil.example/?token=secret', HOST)).toEqual({
    kind: 'enter',
    location: `http://${BROWSER_HOST}/?token=secret`,
  })
})

test('sends no cookie for a wrong token, nor for a request that reads no page', () => {
  expect(get('/?token=wrong', HOST).kind).toBe('refuse')
  expect(judge({ method: 'POST', url: '/?token=secret', headers: HOST }).kind).toBe('refuse')
})

test('does not send the plane the credentials of the proxy', () => {
  const headers = {
    ...HOST,
    ...BEARER,
    cookie: 'a=b; vplane-proxy-8001=browser',
    origin: 'http://127.0.0.1:8001',
    accept: 'application/json',
    'impersonate-user': 'ada',
  }

  expect(get('/api', headers)).toEqual({
    kind: 'pass',
    headers: { accept: 'application/json', cookie: 'a=b', 'impersonate-user': 'ada' },
  })
})
