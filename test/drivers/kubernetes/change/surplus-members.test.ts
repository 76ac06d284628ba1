import { expect, test } from 'vitest'
import { changedSpec } from '../../../../src/control-plane/changes/changed-spec.ts'
import { changePlane } from '../../../../src/drivers/kubernetes/change/change-plane.ts'
import {
  isReadableRecord,
  readRecord,
} from '../../../../src/drivers/kubernetes/record/record-store.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import type { MemoryRequest } from '../../../support/api/memory-host-api.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { illPlane, PLACE, POD, told } from '../repair/ill-plane.ts'

const TIMEOUT_MS = 25_000

test('removes a member that an interrupted change added, and that is not wanted any more', async () => {
  const { cut, etcd, scale } = await scaledPlane(1)
  cut.after('add 1', '/secrets/')
  const failure = await rejectionOf(scale(3))
  cut.end()
  const left = etcd.members()

  await scale(1)

  expect(failure.message).toContain('the host is gone')
  expect(left).toEqual([0, 1])
  expect(etcd.members()).toEqual([0])
  expect(etcd.done).toEqual(['add 1', 'remove 21'])
})

test('removes a member that returned during an interrupted change before its pod', async () => {
  const { cluster, cut, etcd, scale } = await scaledPlane(5)
  cut.after('remove 14', '/statefulsets/')
  const failure = await rejectionOf(scale(3))
  cut.end()
  etcd.join(4, 'voter')
  const membersAtScale: number[][] = []
  cut.onRequest = ({ path, verb }) => {
    if (verb === 'patch' && path.endsWith('/statefulsets/vplane-dev-etcd')) {
      membersAtScale.push(etcd.members())
    }
  }

  await scale(3)

  expect(failure.message).toContain('the host is gone')
  expect(etcd.members()).toEqual([0, 1, 2])
  expect(membersAtScale).toEqual([[0, 1, 2]])
  expect(cluster.api.objects.has(POD(2))).toBe(true)
  expect(cluster.api.objects.has(POD(3))).toBe(false)
})

test('removes a member that does not work before the others that are not wanted', async () => {
  const { cluster, end, etcd, scale } = await scaledPlane(3)
  end(1, { conditions: [{ type: 'Ready', status: 'False' }] })

  await scale(1)

  expect(etcd.done).toEqual(['remove 11', 'remove 12'])
  expect(etcd.members()).toEqual([0])
  expect(told(cluster)).toEqual([1])
})

test('keeps a working member while the others would have no majority without it', async () => {
  const { end, etcd, scale } = await scaledPlane(3)
  end(0, { conditions: [{ type: 'Ready', status: 'False' }] })

  const error = await rejectionOf(scale(1, 500))

  expect(error.message).toContain('vplane-dev-etcd-0')
  expect(etcd.members()).toEqual([0, 1, 2])
})

/** A plane whose etcd gets other numbers of members, over a connection that may break. */
async function scaledPlane(count: 1 | 3 | 5) {
  const cut = {
    isArmed: (): boolean => false,
    path: '',
    onRequest: (_request: MemoryRequest) => {},
    after: (done: string, path: string) => {
      cut.path = path
      cut.isArmed = () => plane.etcd.done.includes(done)
    },
    end: () => {
      cut.isArmed = () => false
    },
  }
  const plane = await illPlane(count, {
    onRequest: (request) => {
      cut.onRequest(request)
      const isWrite = ['replace', 'apply', 'patch'].includes(request.verb)
      if (isWrite && request.path.includes(cut.path) && cut.isArmed()) {
        throw new VplaneError('UNREACHABLE', 'the host is gone')
      }
    },
  })
  const { cluster, context } = plane
  return {
    ...plane,
    cut,
    scale: async (replicas: 1 | 3 | 5, timeoutMs?: number) => {
      const operation = cluster.operation({
        signal: AbortSignal.timeout(TIMEOUT_MS),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      })
      const stored = await readRecord(cluster.api, PLACE, operation)
      expect.assert(stored !== undefined && isReadableRecord(stored))
      const plane = { ...stored.record, driver: 'kubernetes' } as const
      const wanted = { ...plane.userSpec, etcd: { replicas } }
      await changePlane(context(), stored, { change: changedSpec(plane, wanted), operation })
    },
  }
}
