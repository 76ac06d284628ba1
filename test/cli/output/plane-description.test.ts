import { expect, test } from 'vitest'
import { planeDescription } from '../../../src/cli/output/plane-description.ts'
import type { Listed } from '../../../src/cli/results/plane-result.ts'
import type { BackupStatus } from '../../../src/control-plane/status/backup-status.ts'
import type { PlaneEvent, PlaneStatus } from '../../../src/control-plane/status/plane-status.ts'
import { hoursFromNoon, listed, NOON, storedPlane } from '../../support/driver/some-planes.ts'

/** As in a pipe. */
const LAYOUT = { now: NOON, width: undefined }

const descriptionOf = (...plane: Parameters<typeof listed>) =>
  planeDescription(listed(...plane), LAYOUT)

test.for([
  [false, 'Operation:    change by vm_16f2_77, since 3m: Adding vplane-dev-etcd-1 to etcd\n'],
  [
    true,
    'Operation:    change was interrupted 2m ago, at: Adding vplane-dev-etcd-1 to etcd\n              to continue: vplane resume dev\n',
  ],
] as const)('shows an operation, interrupted: %s', ([isInterrupted, line]) => {
  const operation = {
    kind: 'change',
    step: 'Adding vplane-dev-etcd-1 to etcd',
    since: hoursFromNoon(-1 / 20),
    at: hoursFromNoon(-1 / 30),
    holder: 'vm_16f2_77_d14bb843-373d-4080-8a0a-05b7632592e4',
    isInterrupted,
    hints: isInterrupted ? ['to continue: vplane resume dev'] : [],
  }
  const plane = storedPlane('dev', { driver: 'kubernetes', namespace: 'team' })

  expect(descriptionOf(plane, { operation }, true)).toContain(line)
})

test('says everything about a plane', () => {
  const plane = storedPlane('dev', {
    driver: 'kubernetes',
    namespace: 'team',
    userSpec: {
      labels: { team: 'shop', tier: 'web' },
      apiGroups: 'lean',
      apiServer: { extraArgs: { v: '4' } },
    },
  })
  const where = { instance: 'pid 7', address: '127.0.0.1:20443', startedAt: hoursFromNoon(-3) }
  const status: Partial<PlaneStatus> = {
    phase: 'NotReady',
    reason: 'etcd ended: no space left',
    hints: ['make room', 'vplane repair dev'],
    server: 'https://127.0.0.1:20443',
    certificatesExpireAt: hoursFromNoon(48),
    components: [
      { name: 'kube-apiserver', state: 'running', ...where },
      { name: 'etcd', state: 'failed', reason: 'ended: no space left' },
    ],
  }

  expect(descriptionOf(plane, status, true)).toBe(`Name:         dev
Driver:       kubernetes
Namespace:    team
Labels:       team=shop
              tier=web
Status:       NotReady
Reason:       etcd ended: no space left
To do:        make room
              vplane repair dev
Version:      Kubernetes 1.36.3, etcd 3.6.16
Server:       https://127.0.0.1:20443
Connected:    yes
Created:      2026-06-01T11:00:00.000Z (60m ago)
Certificates: the first expires 2026-06-03T12:00:00.000Z (2d)
Written by:   vplane 0.1.0

COMPONENT        STATE     INSTANCE   ADDRESS           AGE   REASON
kube-apiserver   running   pid 7      127.0.0.1:20443   3h    -
etcd             failed    -          -                 -     ended: no space left

Spec:
  labels:
    team: "shop"
    tier: "web"
  apiGroups: "lean"
  apiServer:
    extraArgs:
      v: "4"`)
})

test('says when a plane was used last that pauses itself', () => {
  const description = descriptionOf(storedPlane('dev'), { usedAt: hoursFromNoon(-1) })

  expect(description).toContain('\nLast used:    60m ago\n')
})

test('leaves out what is not known of a plane that cannot be read', () => {
  const plane = { name: 'bad', driver: 'local', reason: 'plane.json is damaged' } as const
  const status = { phase: 'Unreadable', reason: plane.reason } as const

  expect(descriptionOf(plane, status)).toBe(`Name:         bad
Driver:       local
Status:       Unreadable
Reason:       plane.json is damaged
Connected:    no`)
})

test('lets nothing that is quoted steer the terminal', () => {
  const hostile = '\u001B[2J\u001B]0;title\u0007x\u009B31m'
  const plane = storedPlane('dev', { userSpec: { apiServer: { extraArgs: { v: hostile } } } })

  const description = descriptionOf(plane, {
    reason: hostile,
    components: [{ name: 'etcd', state: 'failed', reason: hostile }],
  })

  // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
  expect(description).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/)
})

test('keeps the lines of a long reason below each other', () => {
  const description = descriptionOf(storedPlane('dev'), { reason: 'first\nsecond' })

  expect(description).toContain('Reason:       first\n              second\n')
})

/** A plane in a host cluster, with everything that the host says of it. */
function hosted(events: PlaneEvent[]) {
  const plane = storedPlane('dev', { driver: 'kubernetes', namespace: 'team', hostContext: 'work' })
  const pods = { replicas: { wanted: 3, ready: 1 }, image: 'registry.k8s.io/etcd:3.6' }
  const tunnel = { plane, address: '127.0.0.1:21443', isUp: true }
  const status: Partial<PlaneStatus> = {
    phase: 'NotReady',
    endpoints: ['https://vplane-dev-api.team.svc:443', 'https://203.0.113.7:443'],
    components: [{ name: 'etcd', state: 'starting', ...pods }],
    events,
  }
  return planeDescription({ ...listed(plane, status, true), tunnel }, LAYOUT)
}

test('says what a host cluster says of a plane', () => {
  const event = {
    at: hoursFromNoon(-0.5),
    level: 'warning',
    object: 'Pod/vplane-dev-etcd-1',
    reason: 'FailedScheduling',
    message: '0/1 nodes are available',
    count: 4,
  } as const

  const description = hosted([event])

  expect(description).toContain('Host:         work\n')
  expect(description).toContain(`Endpoints:    https://vplane-dev-api.team.svc:443
              https://203.0.113.7:443
`)
  expect(description).toContain('Tunnel:       127.0.0.1:21443\n')
  expect(description).toMatch(/^etcd +starting +1\/3 +- +registry.k8s.io\/etcd:3.6 /m)
  expect(description).toContain('Events of the last hour:\n')
  expect(description).toMatch(
    /^30m +warning +FailedScheduling +Pod\/vplane-dev-etcd-1 +4 +0\/1 nodes are available$/m,
  )
})

test('shows the last events, and says how to see the others', () => {
  const events = Array.from({ length: 22 }, (_, index) => ({
    at: hoursFromNoon(-0.5),
    level: 'normal' as const,
    object: `Pod/${index + 1}`,
    reason: 'Started',
    message: 'Container started',
    count: 1,
  }))

  const description = hosted(events)

  expect(description).toMatch(/ Pod\/3 /)
  expect(description).not.toMatch(/ Pod\/2 /)
  expect(description).toContain('\nAnd 2 before these: vplane events dev')
  expect(hosted(events.slice(0, 20))).not.toContain('before these')
})

test('says that nothing happened', () => {
  expect(hosted([])).toContain('\nNo events in the last hour.\n')
})

test('says how the backups stand', () => {
  const last = { id: 'dev-x', at: hoursFromNoon(-2), revision: 7, sizeBytes: 2048 }
  const failure = { at: hoursFromNoon(-1), reason: 'no such bucket', count: 3 }
  const linesOf = (backup: BackupStatus) =>
    descriptionOf(storedPlane('dev'), { backup })
      .split('\n')
      .filter((line) => /backup|failure/.test(line))

  expect(linesOf({})).toEqual(['Last backup:  none'])
  expect(linesOf({ last, failure, nextAt: NOON })).toEqual([
    'Last backup:  dev-x (2.0 KiB, 120m ago)',
    'Last failure: a backup, 60m ago: no such bucket',
    'Next backup:  2026-06-01T12:00:00.000Z',
  ])
})

test('says which rotations wait for their next stage, and how to continue', () => {
  const rotations: Listed['rotations'] = [
    { keys: 'ca', next: 'switch', isCutOff: false },
    { keys: 'encryption-key', next: 'complete', isCutOff: true },
  ]

  const description = planeDescription({ ...listed(storedPlane('dev')), rotations }, LAYOUT)

  expect(description).toContain(`
Rotations:    the CAs: next is switch: vplane certs rotate-ca dev
              the key of Secrets: complete was interrupted: vplane certs rotate-encryption-key dev
`)
  expect(descriptionOf(storedPlane('dev'))).not.toContain('Rotations')
})
