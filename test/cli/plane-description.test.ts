import { expect, test } from 'vitest'
import { planeDescription } from '../../src/cli/plane-description.ts'
import { hoursFromNoon, listed, NOON, storedPlane } from '../support/some-planes.ts'

test('says everything about a plane', () => {
  const plane = storedPlane('dev', {
    driver: 'kubernetes',
    namespace: 'team',
    userSpec: { apiGroups: 'lean', apiServer: { extraArgs: { v: '4' } } },
  })
  const description = planeDescription(
    listed(
      plane,
      {
        phase: 'NotReady',
        reason: 'etcd ended: no space left',
        server: 'https://127.0.0.1:20443',
        certificatesExpireAt: hoursFromNoon(48),
        components: [
          {
            name: 'kube-apiserver',
            state: 'running',
            instance: 'pid 7',
            address: '127.0.0.1:20443',
            startedAt: hoursFromNoon(-3),
          },
          { name: 'etcd', state: 'failed', reason: 'ended: no space left' },
        ],
      },
      true,
    ),
    NOON,
  )

  expect(description).toBe(`Name:         dev
Driver:       kubernetes
Namespace:    team
Status:       NotReady
Reason:       etcd ended: no space left
Version:      Kubernetes 1.36.3, etcd 3.6.16
Server:       https://127.0.0.1:20443
Connected:    yes
Created:      2026-06-01T11:00:00.000Z (60m ago)
Certificates: the first ends 2026-06-03T12:00:00.000Z (2d)
Written by:   vplane 0.1.0

COMPONENT        STATE     INSTANCE   ADDRESS           AGE   REASON
kube-apiserver   running   pid 7      127.0.0.1:20443   3h    -
etcd             failed    -          -                 -     ended: no space left

Spec:
  apiGroups: "lean"
  apiServer:
    extraArgs:
      v: "4"`)
})

test('leaves out what is not known of a plane that cannot be read', () => {
  const plane = { name: 'bad', driver: 'local', reason: 'plane.json is damaged' } as const
  const status = { phase: 'Unreadable', reason: plane.reason } as const

  expect(planeDescription(listed(plane, status), NOON)).toBe(`Name:         bad
Driver:       local
Status:       Unreadable
Reason:       plane.json is damaged
Connected:    no`)
})

test('lets nothing that is quoted steer the terminal', () => {
  const hostile = '\u001B[2J\u001B]0;title\u0007x\u009B31m'
  const plane = storedPlane('dev', { userSpec: { apiServer: { extraArgs: { v: hostile } } } })
  const components = [{ name: 'etcd', state: 'failed', reason: hostile }] as const

  const description = planeDescription(
    listed(plane, { reason: hostile, components: [...components] }),
    NOON,
  )

  // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
  expect(description).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/)
})

test('keeps the lines of a long reason below each other', () => {
  const description = planeDescription(
    listed(storedPlane('dev'), { reason: 'first\nsecond' }),
    NOON,
  )

  expect(description).toContain('Reason:       first\n              second\n')
})
