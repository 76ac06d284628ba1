import { expect, test } from 'vitest'
import {
  isStreaming,
  parsePodRequest,
} from '../../../../src/syncer/kubelet/requests/parse-pod-request.ts'

const WEB = { namespace: 'team', pod: 'web' }

test.for([
  ['/containerLogs/team/web/app', { endpoint: 'containerLogs', ...WEB, container: 'app' }],
  ['/exec/team/web/app', { endpoint: 'exec', ...WEB, container: 'app' }],
  ['/exec/team/web/uid-1/app', { endpoint: 'exec', ...WEB, uid: 'uid-1', container: 'app' }],
  ['/attach/team/web/app', { endpoint: 'attach', ...WEB, container: 'app' }],
  ['/attach/team/web/uid-1/app', { endpoint: 'attach', ...WEB, uid: 'uid-1', container: 'app' }],
  ['/portForward/team/web', { endpoint: 'portForward', ...WEB }],
  ['/portForward/team/web/uid-1', { endpoint: 'portForward', ...WEB, uid: 'uid-1' }],
  ['/portForward/team/web%2E1', { endpoint: 'portForward', namespace: 'team', pod: 'web.1' }],
] as const)('reads %s', ([path, expected]) => {
  expect(parsePodRequest('GET', path)).toEqual(expected)
})

test.for([
  '/exec/team/..%2F..%2Fsecrets/app',
  '/exec/team/../app',
  '/exec/team/%2e%2e/app',
  '/exec/team/./app',
  '/exec/team/web%2Fexec/app',
  '/exec/team/web%252Fexec/app',
  '/exec/team//app',
  '/exec//web/app',
  '/exec/team/web/',
  '/exec/team/web%0D%0AHost:evil/app',
  '/exec/team/web%00/app',
  '/exec/team/web%/app',
  '/exec/team/web%ff/app',
  '/exec/team/WEB/app',
  '/exec/team/web?x/app',
  '/exec/team/web;x/app',
  '/exec/team/-web/app',
  '/exec/team/web..1/app',
  '/exec/team.io/web/app',
  '/exec/team/web/app.1',
  '/exec/team/web/uid%20x/app',
  `/exec/team/web/${'a'.repeat(64)}`,
  `/exec/${'a'.repeat(64)}/web/app`,
  `/exec/team/${'a'.repeat(254)}/app`,
  `/exec/team/web/${'u'.repeat(129)}/app`,
  '/containerLogs/team/web/%E2%82%AC',
])('refuses %s: a part is no name', (path) => {
  expect(parsePodRequest('GET', path)).toMatchObject({ status: 400 })
})

test('takes as long as its square for no name', () => {
  const name = `${'a-'.repeat(100_000)}!`
  const startedAt = performance.now()

  expect(parsePodRequest('GET', `/exec/team/${name}/app`)).toMatchObject({ status: 400 })
  expect(performance.now() - startedAt).toBeLessThan(500)
})

test.for([
  '/exec',
  '/exec/team/web',
  '/exec/a/b/c/d/e',
  '/containerLogs/a/b/c/d',
  '/portForward/a',
])('does not know %s', (path) => {
  expect(parsePodRequest('GET', path)).toMatchObject({ status: 404 })
})

test.for([
  '/',
  '',
  '/pods',
  '//exec/a/b/c',
  '/Exec/a/b/c',
  '/toString/a/b',
  'https://x/exec/a/b/c',
])('takes %s for no question about a pod', (path) => {
  expect(parsePodRequest('GET', path)).toBeUndefined()
})

test.for([
  ['POST', '/containerLogs/team/web/app', ['GET']],
  ['PUT', '/exec/team/web/app', ['GET', 'POST']],
  ['DELETE', '/attach/team/web/app', ['GET', 'POST']],
  ['HEAD', '/portForward/team/web', ['GET', 'POST']],
] as const)('does not let %s at %s', ([method, path, allow]) => {
  expect(parsePodRequest(method, path)).toMatchObject({ status: 405, allow })
})

test.for([
  ['/exec/team/web/app?command=sh', true],
  ['/attach/team/web/app', true],
  ['/portForward/team/web', true],
  ['/containerLogs/team/web/app', false],
  ['/healthz', false],
  ['', false],
  [undefined, false],
] as const)('knows whether %s changes the protocol: %s', ([url, expected]) => {
  expect(isStreaming(url)).toBe(expected)
})
