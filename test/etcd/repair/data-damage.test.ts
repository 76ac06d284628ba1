import { expect, test } from 'vitest'
import { damageIn } from '../../../src/etcd/repair/data-damage.ts'

// What etcd 3.6 wrote when this was done to it.
test.for([
  [
    'lost',
    '{"level":"fatal","msg":"discovery failed","error":"cannot fetch cluster info from peer urls: could not retrieve cluster information from the given URLs"}',
  ],
  [
    'lost',
    '{"level":"panic","msg":"tocommit(1204) is out of range [lastIndex(0)]. Was the raft log corrupted, truncated, or lost?"}',
  ],
  [
    'removed',
    '{"level":"warn","msg":"server error","error":"the member has been permanently removed from the cluster"}',
  ],
  [
    'removed',
    '{"level":"fatal","msg":"discovery failed","error":"error validating peerURLs: member count is unequal"}',
  ],
  [
    'corrupt',
    '{"level":"fatal","msg":"failed to read WAL, cannot be repaired","error":"wal: crc mismatch"}',
  ],
  ['corrupt', '{"level":"panic","msg":"failed to open database","error":"invalid database"}'],
  [
    undefined,
    '{"level":"fatal","msg":"discovery failed","error":"listen tcp: address already in use"}',
  ],
  ['corrupt', 'panic: freepages: failed to get all reachable pages'],
  [
    undefined,
    '{"level":"warn","msg":"apply request took too long","request":"key:\\"/registry/configmaps/default/freepages\\""}',
  ],
] as const)('reads %s from %s', ([damage, line]) => {
  expect(damageIn(['{"level":"info","msg":"starting"}', line])).toBe(damage)
})
