import { expect, test } from 'vitest'
import { difference, ratio, value } from '../../bench/compare.ts'
import type { Result } from '../../bench/figure.ts'
import { formatMarkdown, formatTable } from '../../bench/report.ts'

const RESULTS: Result[] = [
  ratio({
    ...named('create', 'ms'),
    to: { samples: 'other', what: 'by hand' },
    target: 1.2,
    goal: 1.05,
    samples: { own: [2200], other: [2000] },
    notes: ['most of it is kube-apiserver'],
  }),
  difference({
    ...named('connect', 'ms'),
    to: { samples: 'other', what: 'kubectl' },
    target: 150,
    samples: { own: [300], other: [100] },
  }),
  value({ ...named('memory', 'MiB'), target: 280, samples: { own: [261.4] } }),
]

function named(name: string, unit: Result['unit']) {
  return { name, what: name, unit, of: 'own' }
}

test('puts what was measured beside what was asked for', () => {
  const [, create, connect, memory, , note] = formatTable(RESULTS).split('\n')

  const cells = (line = '') => line.split(/ {2,}/).join(' | ')
  expect(cells(create)).toBe(
    'create | 2.20 s | by hand: 2.00 s | 1.10 | 1.20 | 1.05 | ok, goal missed',
  )
  expect(cells(connect)).toBe('connect | 300 ms | kubectl: 100 ms | +200 ms | 150 ms | missed')
  expect(cells(memory)).toBe('memory | 261 MiB | 280 MiB | ok')
  expect(note).toBe('create: most of it is kube-apiserver')
})

test('says in the page on what machine it was, and with what', () => {
  const page = formatMarkdown({
    startedAt: '2026-11-21T10:00:00.000Z',
    minutes: 3,
    rounds: 5,
    machine: {
      cores: 2,
      processor: 'A processor',
      memoryGiB: 24,
      kernel: 'Linux 6',
      load: 0.1,
      versions: { node: '24.1.0', etcd: '3.6.0' },
    },
    results: RESULTS,
  })

  expect(page).toContain('2026-11-21, 5 rounds. 2 cores (A processor), 24 GiB, Linux 6, load 0.1')
  expect(page).toContain('node 24.1.0, etcd 3.6.0')
  expect(page).toContain('| memory | 261 MiB |  |  | 280 MiB |  | ok |')
})
