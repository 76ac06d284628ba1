import { expect, test } from 'vitest'
import { ETCD_CLIENT_FILES, type EtcdConnection } from '../../../src/etcd/etcd-connection.ts'
import { workingMember } from '../../../src/etcd/members/working-member.ts'
import { ETCD_FILES, etcdGateway } from '../../support/etcd-gateway.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const { signal } = new AbortController()
const HEADER = { member_id: '17', revision: '42' }

test('takes the first member that has a vote and knows who leads', async () => {
  const lost = await memberThatSays({ leader: '0' })
  const learner = await memberThatSays({ leader: '17', isLearner: true })
  const working = await memberThatSays({ leader: '17' })

  expect(await workingMember([lost, silent(), learner, working, lost], 'etcd', signal)).toBe(
    working,
  )
})

test('says of each why it is not asked', async () => {
  const lost = await memberThatSays({ leader: '0' })

  expect(await rejectionOf(workingMember([lost, silent()], 'etcd of "dev"', signal))).toMatchObject(
    {
      code: 'UNREACHABLE',
      message:
        'no member of etcd of "dev" works: a member has no leader; cannot reach a silent member: refused',
    },
  )
})

async function memberThatSays(answer: object): Promise<EtcdConnection> {
  const { dial } = await etcdGateway(() => [200, { header: HEADER, ...answer }])
  return { ...silent(), what: 'a member', dial }
}

function silent(): EtcdConnection {
  return {
    what: 'a silent member',
    dial: () => Promise.reject(new Error('refused')),
    certificateAuthority: ETCD_FILES[ETCD_CLIENT_FILES.certificateAuthority] ?? '',
    certificate: ETCD_FILES[ETCD_CLIENT_FILES.certificate] ?? '',
    key: ETCD_FILES[ETCD_CLIENT_FILES.key] ?? '',
  }
}
