import { expect, test } from 'vitest'
import { refuseBroken } from '../../../../../src/drivers/kubernetes/etcd/members/refuse-broken.ts'
import type { VplaneError } from '../../../../../src/shared/errors.ts'
import { FakeCluster } from '../../fake-cluster.ts'

test.for([
  { working: [1, 2, 3, 4], members: 3, isFine: true },
  { working: [1, 2], members: 2, isFine: false },
])('needs a majority of the first $members of $working', async ({ isFine, members, working }) => {
  const operation = new FakeCluster().operation({ timeoutMs: 500 })
  const cluster = { working: () => Promise.resolve(working) }
  const place = { name: 'dev', namespace: 'team-a' }
  const needed = {
    members,
    isFine: (found: readonly number[]) => found.length * 2 > members,
    why: 'no majority',
  }

  const outcome = await refuseBroken({ operation, place }, cluster, needed).then(
    () => 'fine',
    ({ message }: VplaneError) => message,
  )

  expect(outcome).toBe(isFine ? 'fine' : 'vplane-dev-etcd-0 of "dev" does not work: no majority')
})
