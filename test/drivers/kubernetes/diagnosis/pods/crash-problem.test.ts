import { expect, test } from 'vitest'
import {
  crashProblem,
  loggedError,
} from '../../../../../src/drivers/kubernetes/diagnosis/pods/crash-problem.ts'
import type { Problem } from '../../../../../src/drivers/kubernetes/context/problem.ts'

const PROBLEM: Problem = {
  state: 'Error',
  reason: 'kube-apiserver has ended with exit code 1',
  hints: [],
  final: false,
}

const WAITING =
  'E1121 20:55:06.907470       1 run.go:72] "command failed" err="context deadline exceeded"'
const REFUSED =
  'E1125 06:17:45.493779       1 namespaced_resources_deleter.go:168] "Unable to get any supported resources from server" err="dial tcp 10.96.233.91:443: connect: connection refused"'
const SILENT = 'I1121 20:55:06.907470       1 server.go:72] "listening"'
const WRONG = 'Error: unknown flag: --x'

test('waits for etcd while it does not run', () => {
  expect(problemAfter(WAITING, { times: 50, isServed: false })).toMatchObject({
    reason: 'kube-apiserver has ended with exit code 1: context deadline exceeded',
    final: false,
    log: [WAITING],
  })
})

test('reads why kine has ended, whose log has other fields than that of etcd', () => {
  const line = '{"message":"failed to start","severity":"fatal","time":"2026-06-01T12:00:00Z"}'

  expect(loggedError([line])).toBe('failed to start')
})

test('names the Service that does not lead to a ready component', () => {
  const cutOff = problemAfter(WAITING, { times: 2, needs: 'etcd' })
  const starting = problemAfter(WAITING, { times: 2, needs: 'etcd', isServed: false })

  expect(cutOff).toMatchObject({
    reason:
      'kube-apiserver has ended with exit code 1: context deadline exceeded: etcd is ready, but is not reached through its Service',
    hints: ['check kube-proxy, DNS and the NetworkPolicies of the host cluster'],
    final: false,
  })
  expect(starting.reason).not.toContain('Service')
})

test.for([
  'error creating leases: etcdserver: request timed out',
  'failed to wait for apiserver being healthy: dial tcp 10.96.3.1:443: connect: connection refused',
  'dial tcp: lookup vplane-dev-etcd.team-a.svc: no such host',
  'leaderelection lost',
  'http2: client connection lost',
  'the server is currently unable to handle the request',
  'configmaps is forbidden: User \\"system:kube-controller-manager\\" cannot get resource',
  'failed to discover resources: unknown',
  'the server has asked for the client to provide credentials',
  'an error on the server (\\"\\") has prevented the request from succeeding',
  'storage is (re)initializing',
])('treats as transient: %s', (words) => {
  const line = `E1121 20:55:06.907470       1 run.go:72] "command failed" err="${words}"`

  expect(problemAfter(line, { times: 1 }).final).toBe(false)
})

test('gives up at once on an error that will not pass', () => {
  expect(problemAfter(WRONG, { times: 1, isServed: false })).toMatchObject({
    reason: 'kube-apiserver has ended with exit code 1: unknown flag: --x',
    final: true,
  })
})

test.for([
  ['that waits for etcd, which runs', WAITING, { times: 4 }, false],
  ['that waits for etcd, which runs', WAITING, { times: 5 }, true],
  ['that does not say why', SILENT, { times: 2 }, false],
  ['that does not say why', SILENT, { times: 3 }, true],
  ['that does not say why after a refused connection', REFUSED, { times: 4 }, false],
  ['that does not say why while etcd is not there', SILENT, { times: 50, isServed: false }, false],
  ['whose log cannot be had', '', { times: 4 }, false],
  ['whose log cannot be had', '', { times: 5 }, true],
  ['that its probe killed', SILENT, { times: 3, isKilled: true, isProbed: true }, true],
  ['that something else killed', SILENT, { times: 4, isKilled: true }, false],
  ['that something else killed', SILENT, { times: 5, isKilled: true }, true],
] as const)('is patient with a component %s', ([, line, about, isFinal]) => {
  expect(problemAfter(line, about).final).toBe(isFinal)
})

test('does not report the last line of a killed component as the reason', () => {
  const problem = problemAfter(WRONG, { times: 1, isKilled: true })

  expect(problem).toEqual({ ...PROBLEM, log: [WRONG] })
})

test('shows the last lines, without traces', () => {
  const lines = [
    ...Array.from({ length: 20 }, (_, index) => `{"level":"info","msg":"${index}"}`),
    'panic: broken',
    'goroutine 1 [running]:',
    'main.main()',
    '\tmain.go:1 +0x1',
  ]

  const { log = [] } = problemAfter('', { times: 1, lines })

  expect(log).toHaveLength(8)
  expect(log.at(-1)).toBe('panic: broken')
})

interface About extends Partial<Parameters<typeof crashProblem>[1]> {
  times: number
  isKilled?: boolean
  isProbed?: boolean
}

function problemAfter(
  line: string,
  { isKilled = false, isProbed = false, times, ...facts }: About,
): Problem {
  const crash = { container: 'main', times, isKilled, isProbed }
  return crashProblem(PROBLEM, { crash, lines: [line], isServed: true, ...facts })
}

const KLOG = '1121 20:55:06.907470       1 run.go:72] '

test.for<[string, string?]>([
  [
    `E${KLOG}"command failed" err="error creating storage factory: context deadline exceeded"`,
    'error creating storage factory: context deadline exceeded',
  ],
  [
    `E${KLOG}"command failed" err="Get \\"https://api:443/healthz\\": connection refused" x="y"`,
    'Get "https://api:443/healthz": connection refused',
  ],
  [`F${KLOG}leaderelection lost`, 'leaderelection lost'],
  ['Error: unknown flag: --no-such-flag', 'unknown flag: --no-such-flag'],
  [
    '2026-11-22T06:45:02.236Z error: Secret "a" belongs to an earlier state of plane "dev"',
    'Secret "a" belongs to an earlier state of plane "dev"',
  ],
  ['panic: assignment to entry in nil map'],
  [
    '{"level":"fatal","msg":"discovery failed","error":"couldn\'t find local name"}',
    "discovery failed: couldn't find local name",
  ],
  ['{"level":"panic","msg":"tocommit(8) is out of range"}', 'tocommit(8) is out of range'],
  ['exec /usr/local/bin/etcd: operation not permitted'],
  ['unexpected error setting up listen-peer-urls: URL scheme'],
])('finds the reason in: %s', ([line, words = line]) => {
  expect(loggedError([`I${KLOG}starting`, line])).toBe(words)
})

test('prefers a fatal line to later lines', () => {
  const lines = [`E${KLOG}"command failed" err="no key"`, `I${KLOG}stopped`, 'bye']

  expect(loggedError(lines)).toBe('no key')
})

test.for([
  [`I${KLOG}serving`],
  [`E${KLOG}"an error of many" err="x"`],
  ['{"level":"info","msg":"closed etcd server"}'],
  ['{"level":"fatal","msg":"cut of'],
  [],
])('does not guess from: %s', (lines) => {
  expect(loggedError(lines)).toBeUndefined()
})
