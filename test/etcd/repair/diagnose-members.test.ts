import { expect, test } from 'vitest'
import { diagnoseMembers, type MemberFacts } from '../../../src/etcd/repair/diagnose-members.ts'
import type { MemberStatus } from '../../../src/etcd/status/member-status.ts'

type Facts = Omit<MemberFacts, 'instance'>

const STATUS: MemberStatus = {
  id: '17',
  revision: 7,
  isLearner: false,
  databaseBytes: 2 ** 20,
  inUseBytes: 2 ** 19,
}
const works: Facts = {
  state: 'running',
  status: { ...STATUS, leader: '17' },
  membership: 'voter',
  alarms: [],
}
const lonely = (revision: number): Facts => ({
  state: 'running',
  status: { ...STATUS, revision },
  alarms: [],
})
const waiting = (revision: number): Facts => ({ ...lonely(revision), isWaiting: true })
const silent: Facts = { state: 'running', status: undefined, alarms: [] }
const ended: Facts = { state: 'ended', status: undefined, alarms: [] }
const missing: Facts = { ...ended, state: 'missing' }
const starting: Facts = { ...silent, state: 'starting' }
const wiped: Facts = { ...ended, damage: 'lost' }
const corrupt: Facts = { ...ended, damage: 'corrupt' }
const full: Facts = {
  ...works,
  status: { ...STATUS, leader: '17', quotaBytes: 2 ** 20 },
  alarms: ['NOSPACE'],
}
const learner: Facts = { ...silent, membership: 'learner' }
const distrusted: Facts = { ...works, alarms: ['CORRUPT'] }
const unknown: Facts = { ...ended, membership: 'unknown' }
const back: Facts = { ...works, state: 'ended', damage: 'lost' }
const quota: Facts = { ...ended, cause: { reason: 'the image is not there', remedy: 'none' } }

test.for<[what: string, members: Facts[], remedies: string[]]>([
  ['nothing is wrong with one that works', [works], []],
  ['nothing is wrong with three that work', [works, works, works], []],
  ['two have come back since they ended', [works, back, back], []],
  ['one that has just begun is left alone', [works, works, starting], []],
  ['one that is not there is started', [missing], ['0 start']],
  ['one that has ended is restarted', [works, ended, works], ['1 restart']],
  ['one that does not answer is restarted', [silent, works, works], ['0 restart']],
  ['one that is apart is restarted', [works, works, lonely(3)], ['2 restart']],
  ['nobody leads and all answer', [lonely(3), lonely(3)], ['0 restart', '1 restart']],
  ['what only a person can do', [works, works, quota], ['2 none']],
  ['data is lost where others have it', [wiped, works, works], ['0 replace']],
  ['data is corrupt where others have it', [works, corrupt, works], ['1 replace']],
  ['data differs from the others', [works, works, distrusted], ['2 replace']],
  ['a member was removed', [works, works, unknown], ['2 replace']],
  ['a member never got its vote', [works, works, learner], ['2 replace']],
  ['two of five', [wiped, works, works, works, corrupt], ['0 replace', '4 replace']],
  ['the only data is lost', [wiped], ['0 restore']],
  ['the only data is corrupt', [corrupt], ['0 restore']],
  ['it is full', [full], ['0 free-space']],
  ['one is lost and another may come back', [wiped, ended, lonely(3)], ['0 replace', '1 restart']],
])('%s', ([, members, remedies]) => {
  const { faults, survivors } = diagnoseMembers(named(members))

  expect(faults.map(({ instance, remedy }) => `${instance} ${remedy}`)).toEqual(remedies)
  expect(survivors).toBeUndefined()
})

test.for<[what: string, members: Facts[], survivors: string[]]>([
  ['one of three is left', [wiped, lonely(7), corrupt], ['1 at 7']],
  [
    'who is left has come back since it ended',
    [{ ...lonely(7), damage: 'lost' }, wiped, wiped],
    ['0 at 7'],
  ],
  ['two of five are left', [lonely(7), wiped, wiped, wiped, lonely(9)], ['4 at 9', '0 at 7']],
  ['who is left was started again', [waiting(7), wiped, wiped], ['0 at 7, waiting']],
  [
    'two of five were started again',
    [waiting(7), wiped, waiting(9), corrupt, wiped],
    ['2 at 9, waiting', '0 at 7, waiting'],
  ],
  ['who is left has never stored anything', [waiting(1), wiped, wiped], []],
  ['who is left does not answer', [silent, wiped, wiped], []],
  ['nobody is left', [wiped, wiped, wiped], []],
])('a person chooses when %s', ([, members, wanted]) => {
  const { faults, survivors } = diagnoseMembers(named(members))

  const damaged = members.filter(({ damage, status }) => damage !== undefined && !status)
  expect(faults.filter(({ remedy }) => remedy === 'choose')).toHaveLength(damaged.length)
  const found = survivors?.map(
    ({ instance, isWaiting = false, revision }) =>
      `${instance} at ${revision}${isWaiting ? ', waiting' : ''}`,
  )
  expect(found).toEqual(wanted)
})

test('a person continues a new etcd that was begun, although a majority exists', () => {
  const { faults, survivors } = diagnoseMembers(named([works, works, wiped]), true)

  expect(faults).toMatchObject([{ instance: '2', remedy: 'choose' }])
  expect(survivors).toEqual([
    { instance: '0', revision: 7 },
    { instance: '1', revision: 7 },
  ])
})

test('reports how full it is', () => {
  const { faults } = diagnoseMembers(named([full]))

  expect(faults[0]?.reason).toBe('its database is full: 1.0 of 1.0 MiB, and etcd accepts no writes')
})

test('reports how data was lost, if that is known', () => {
  const loss = { reason: 'its volume is on node "a", which is gone', hints: ['look for it'] }

  expect(diagnoseMembers(named([{ ...ended, damage: 'lost', loss }])).faults).toEqual([
    { component: 'etcd', instance: '0', ...loss, remedy: 'restore' },
  ])
})

function named(members: readonly Facts[]): MemberFacts[] {
  return members.map((facts, index) => ({ instance: String(index), ...facts }))
}
