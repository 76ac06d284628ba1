import { expect, test } from 'vitest'
import { loggedError } from '../../../../../src/drivers/kubernetes/diagnosis/pods/logged-error.ts'

const KLOG = '1121 20:55:06.907470       1 run.go:72] '

test.for([
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
  ['panic: assignment to entry in nil map', 'panic: assignment to entry in nil map'],
  [
    '{"level":"fatal","msg":"discovery failed","error":"couldn\'t find local name"}',
    "discovery failed: couldn't find local name",
  ],
  ['{"level":"panic","msg":"tocommit(8) is out of range"}', 'tocommit(8) is out of range'],
  [
    'exec /usr/local/bin/etcd: operation not permitted',
    'exec /usr/local/bin/etcd: operation not permitted',
  ],
  [
    'unexpected error setting up listen-peer-urls: URL scheme',
    'unexpected error setting up listen-peer-urls: URL scheme',
  ],
] as const)('finds the reason in: %s', ([line, words]) => {
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
