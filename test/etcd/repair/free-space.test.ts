import { expect, test } from 'vitest'
import type { EtcdConnection } from '../../../src/etcd/etcd-connection.ts'
import { freeSpace } from '../../../src/etcd/repair/free-space.ts'
import { rejectionOf } from '../../support/thrown-by.ts'
import { ETCD_FILES, etcdGateway } from '../../support/etcd-gateway.ts'
import { RecordingUi } from '../../support/driver/recording-ui.ts'

const { signal } = new AbortController()

test('compacts once, defragments one after the other, and ends the alarm of lack of space alone', async () => {
  const { asked, members } = await etcdOf({ dbSize: '500' })

  await freeSpace(members, { ui: new RecordingUi(), signal })

  expect(asked()).toEqual([
    '0 /v3/kv/compaction {"revision":"42","physical":true}',
    '0 /v3/maintenance/defragment {}',
    '1 /v3/maintenance/defragment {}',
    '0 /v3/maintenance/alarm {"action":"GET"}',
    '0 /v3/maintenance/alarm {"action":"DEACTIVATE","memberID":"17","alarm":"NOSPACE"}',
  ])
})

test('says that what is stored leaves no room', async () => {
  const { members } = await etcdOf({ dbSize: '950' })

  const error = await rejectionOf(freeSpace(members, { ui: new RecordingUi(), signal }))

  expect(error.code).toBe('FAILED')
  expect(error.hints.join()).toContain('quota-backend-bytes')
})

test('takes a revision that someone has compacted for done', async () => {
  const { asked, members } = await etcdOf({ dbSize: '500' }, 400)

  await freeSpace(members, { ui: new RecordingUi(), signal })

  expect(asked()).toContain('1 /v3/maintenance/defragment {}')
})

/** Two members of an etcd with two alarms. */
async function etcdOf(sizes: { dbSize: string }, compactionStatus = 200) {
  const header = { member_id: '17', revision: '42' }
  const alarms = [
    { memberID: '17', alarm: 'NOSPACE' },
    { memberID: '18', alarm: 'CORRUPT' },
  ]
  const answers: Record<string, readonly [number, object]> = {
    '/v3/maintenance/status': [200, { header, dbSizeQuota: '1000', ...sizes }],
    '/v3/maintenance/alarm': [200, { alarms }],
    '/v3/kv/compaction': [
      compactionStatus,
      { message: 'etcdserver: mvcc: required revision has been compacted' },
    ],
  }
  const log: string[] = []
  const members = await Promise.all(
    [0, 1].map(async (ordinal): Promise<EtcdConnection> => {
      const { dial } = await etcdGateway((path, body) => {
        log.push(`${ordinal} ${path} ${JSON.stringify(body)}`)
        return answers[path] ?? [200, {}]
      })
      return {
        what: `etcd ${ordinal}`,
        dial,
        certificateAuthority: ETCD_FILES['etcd/ca.crt'] ?? '',
        certificate: ETCD_FILES['apiserver-etcd-client.crt'] ?? '',
        key: ETCD_FILES['apiserver-etcd-client.key'] ?? '',
      }
    }),
  )
  return { members, asked: () => log.filter((line) => !line.includes('/status')) }
}
