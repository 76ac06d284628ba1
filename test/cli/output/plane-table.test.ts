import { expect, test } from 'vitest'
import { planeTable, timeLeft, tunnelWord } from '../../../src/cli/output/plane-table.ts'
import { hoursFromNoon, listed, NOON, storedPlane } from '../../support/driver/some-planes.ts'

/** The cells of every line. */
const cellsOf = (...planes: Parameters<typeof planeTable>[0]) =>
  planeTable(planes, { now: NOON, width: undefined })
    .split('\n')
    .map((line) => line.split(/ {2,}/))

test('has a header, and a line for each plane', () => {
  const local = listed(storedPlane('dev'), { certificatesExpireAt: hoursFromNoon(24 * 364) }, true)
  const hosted = listed(
    storedPlane('prod', { driver: 'kubernetes', namespace: 'team', createdAt: hoursFromNoon(-72) }),
    { phase: 'NotReady' },
  )

  expect(cellsOf(local, hosted)).toEqual([
    ['NAME', 'DRIVER', 'NAMESPACE', 'STATUS', 'VERSION', 'CONNECTED', 'CERTS', 'AGE'],
    ['dev', 'local', '-', 'Ready', '1.36.3', 'yes', '364d', '60m'],
    ['prod', 'kubernetes', 'team', 'NotReady', '1.36.3', '-', '-', '3d'],
  ])
})

test('has little to say of a plane that cannot be read', () => {
  const plane = { name: 'bad', driver: 'local', reason: 'plane.json is damaged' } as const

  const [, cells] = cellsOf(listed(plane, { phase: 'Unreadable' }))
  expect(cells).toEqual(['bad', 'local', '-', 'Unreadable', '-', '-', '-', '-'])
})

test('has the address and the reason only when it is wide', () => {
  const status = { phase: 'NotReady', server: 'https://a:1', reason: 'etcd is full' } as const
  const plane = listed(storedPlane('dev'), status)

  const lines = planeTable([plane], { isWide: true, now: NOON, width: undefined }).split('\n')

  expect(lines[0]).toMatch(/ AGE +SERVER +REASON$/)
  expect(lines[1]).toMatch(/ 60m +https:\/\/a:1 +etcd is full$/)
})

test('has labels only when it is wide and a plane has some', () => {
  const labels = { team: 'shop', tier: 'web' }
  const planes = [listed(storedPlane('dev', { userSpec: { labels } })), listed(storedPlane('bare'))]

  const lines = planeTable(planes, { isWide: true, now: NOON, width: undefined }).split('\n')

  expect(lines[0]).toMatch(/ AGE +LABELS +SERVER +REASON$/)
  expect(lines[1]).toContain(' team=shop,tier=web ')
  expect(cellsOf(...planes)[0]).not.toContain('LABELS')
})

test('fits a narrow terminal', () => {
  const plane = storedPlane('a-name-that-is-as-long-as-names-may-be-xx')

  const lines = planeTable([listed(plane)], { now: NOON, width: 80 }).split('\n')

  expect(lines.every((line) => line.length <= 80)).toBe(true)
  expect(lines[0]).toMatch(/^NAME +NAMESPACE +STATUS +VERSION +AGE$/)
})

test.for([
  [undefined, ''],
  [0, 'expired'],
  [-1, 'expired'],
  [5, '5h'],
  [24 * 90, '90d'],
] as const)('says of certificates that end in %s hours: "%s"', ([hours, text]) => {
  expect(timeLeft(hours === undefined ? undefined : hoursFromNoon(hours), NOON)).toBe(text)
})

test('has a column for tunnels when there is one', () => {
  const hosted = listed(storedPlane('prod', { driver: 'kubernetes', namespace: 'team' }))
  const tunnel = { plane: hosted.plane, address: '127.0.0.1:21443', isUp: true }

  const [header, line] = cellsOf({ ...hosted, tunnel })

  expect(line?.[header?.indexOf('TUNNEL') ?? 0]).toBe('127.0.0.1:21443')
})

test.for([
  [{ isUp: true }, '127.0.0.1:1'],
  [{ isUp: false }, '127.0.0.1:1 (stopped)'],
  [{ isUp: false, problem: 'a login is needed' }, '127.0.0.1:1 (a login is needed)'],
] as const)('says of a tunnel that %j: %s', ([state, text]) => {
  const plane = { name: 'dev', driver: 'kubernetes' } as const

  expect(tunnelWord({ plane, address: '127.0.0.1:1', ...state })).toBe(text)
})

test('marks planes that an older vplane made', () => {
  const old = listed(storedPlane('old', { madeBy: '0.0.9' }))

  const [header, ...lines] = cellsOf(old, listed(storedPlane('dev')))

  expect(lines.map((line) => line[header?.indexOf('VPLANE') ?? 0])).toEqual(['0.0.9', '-'])
})
