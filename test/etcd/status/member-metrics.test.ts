import { expect, test } from 'vitest'
import { statusInMetrics } from '../../../src/etcd/status/member-metrics.ts'

/** What etcd 3.6.16 says that was started again without the others of its cluster; more is left out. */
const METRICS = `# HELP etcd_debugging_mvcc_current_revision The current revision of store.
# TYPE etcd_debugging_mvcc_current_revision gauge
etcd_debugging_mvcc_current_revision 5
etcd_mvcc_db_total_size_in_bytes 24576
etcd_mvcc_db_total_size_in_use_in_bytes 1.6384e+04
etcd_server_has_leader 0
etcd_server_id{server_id="3c2bdafe2850b2c0"} 1
etcd_server_is_leader 0
etcd_server_is_learner 0
etcd_server_quota_backend_bytes 2.147483648e+09
`

test('reads how a member is that waits for a leader', () => {
  expect(statusInMetrics(METRICS)).toEqual({
    id: '4335799851407160000',
    revision: 5,
    isLearner: false,
    databaseBytes: 24_576,
    inUseBytes: 16_384,
    quotaBytes: 2_147_483_648,
  })
})

test.for<[why: string, metrics: string]>([
  ['it knows who leads', METRICS.replace('has_leader 0', 'has_leader 1')],
  ['its revision is not there', METRICS.replaceAll('current_revision', 'revision')],
  ['it is another server', '# nothing\n'],
])('says nothing when %s', ([, metrics]) => {
  expect(statusInMetrics(metrics)).toBeUndefined()
})
