import { expect, test } from 'vitest'
import { roundLine, summaryLine, summaryOf } from './round-summary.ts'

test('says of each round what died, and of all of them what was lost', () => {
  const one = {
    round: 1,
    operation: 'a pause',
    isSynced: false,
    victim: 'etcd',
    isCutOff: false,
    follower: 'another repair',
    after: 0.5,
  } as const
  const move = { operation: 'a move', isSynced: true, victim: 'keeper', isCutOff: true } as const
  const other = { ...one, ...move, round: 2 }
  const killed = { what: 'etcd of vplane-rounds-etcd-0', atMs: 4230 }

  const summary = summaryOf(7, 3, [
    { ...one, lastedMs: 9000, killed, acknowledged: 40, lost: 0 },
    { ...other, lastedMs: 20_000, acknowledged: 90, lost: 1 },
  ])

  expect(summary).toMatchObject({ hits: 1, acknowledged: 90, lost: 1 })
  expect([...summary.rounds.map(roundLine), summaryLine(summary)]).toEqual([
    '1. a pause × etcd: etcd of vplane-rounds-etcd-0 died after 4.2 s of 9.0 s',
    '2. a move, with pods × keeper (then another repair): nothing died in 20.0 s',
    'seed 7: 2 of 3 rounds ended well, something died during the operation in 1; 1 of up to 90 acknowledged writes lost',
  ])
})
