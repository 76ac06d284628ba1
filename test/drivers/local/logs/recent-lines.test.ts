import { beforeEach, expect, test, vi } from 'vitest'
import { RecentLines } from '../../../../src/drivers/local/logs/recent-lines.ts'

/** Local time, as Kubernetes writes it. */
const NOW = new Date(2026, 10, 25, 13, 40)

beforeEach(() => {
  vi.useFakeTimers({ now: NOW, toFake: ['Date'] })
  return () => vi.useRealTimers()
})

const OLD = 'I1125 13:34:59.999999    2628 options.go:263] "old"\n'
const NEW = 'W1125 13:35:00.000001    2628 server.go:150] "new"\n'

test.for([
  ['nothing of an old log', [OLD, 'panic\n'], ''],
  ['lines without a timestamp with the line before them', [OLD, 'x\n', NEW, 'y\n'], `${NEW}y\n`],
  ['nothing before the first timestamp', ['{}\n', 'x\n', NEW], NEW],
  ['lines in pieces', [`${OLD}W1125 13:`, NEW.slice(9), 'y'], `${NEW}y`],
  ['everything after the first recent line', [`${NEW}${OLD}`], `${NEW}${OLD}`],
  ['a recent line without an end', [`${OLD}${NEW.trimEnd()}`], NEW.trimEnd()],
  ['no old line without an end', [OLD.trimEnd()], ''],
] as const)('reads %s', ([, chunks, expected]) => {
  expect(recent(chunks)).toBe(expected)
})

test.for([
  '{"level":"warn","ts":"TIME","caller":"auth/store.go:1137","msg":"a"}',
  '{"level":"info","ts":"INDIA"}',
  '{"ts":EPOCH.042,"caller":"a.go:1","msg":"a"}',
  'TIME\tinfo\tembed/etcd.go:912\ta',
  'E1125 KLOG    1 run.go:72] "a"',
])('understands the timestamp of %s', (line) => {
  const at = (time: Date) =>
    line
      .replace('TIME', time.toISOString().replace('Z', '123Z'))
      .replace('INDIA', inIndia(time))
      .replace('EPOCH', String(time.getTime()))
      .replace('KLOG', `${time.toTimeString().slice(0, 8)}.000000`)

  expect(recent([`${at(minutesAgo(6))}\n`])).toBe('')
  expect(recent([`${at(minutesAgo(4))}\n`])).not.toBe('')
})

test('takes a date in the future for one of last year', () => {
  expect(recent(['I1231 23:59:59.000000    1 a.go:1] a\n'])).toBe('')
})

/** The time as an etcd with this time zone writes it. */
function inIndia(time: Date): string {
  return new Date(time.getTime() + 5.5 * 3_600_000).toISOString().replace('Z', '+0530')
}

/** What is read of the last five minutes. */
function recent(chunks: readonly string[]): string {
  const lines = new RecentLines(minutesAgo(5).getTime())
  return [...chunks.map((chunk) => lines.take(chunk)), lines.takeRest()].join('')
}

function minutesAgo(minutes: number): Date {
  return new Date(NOW.getTime() - minutes * 60_000)
}
