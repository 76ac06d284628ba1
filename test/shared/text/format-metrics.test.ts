import { expect, test } from 'vitest'
import { formatMetrics, parseSample } from '../../../src/shared/text/format-metrics.ts'

test('writes metrics in the text format of Prometheus, with labels and times where there are any', () => {
  const text = formatMetrics([
    { name: 'up', type: 'gauge', help: 'Whether it works.', samples: [{ value: 1 }] },
    {
      name: 'asked_total',
      type: 'counter',
      help: 'How often it was asked.',
      samples: [
        { labels: { plane: 'dev', kind: 'a "b" \\ c\nd' }, value: 2 },
        { labels: { plane: 'dev' }, value: 0.5, at: 1000 },
      ],
    },
  ])

  expect(text).toBe(
    [
      '# HELP up Whether it works.',
      '# TYPE up gauge',
      'up 1',
      '# HELP asked_total How often it was asked.',
      '# TYPE asked_total counter',
      String.raw`asked_total{plane="dev",kind="a \"b\" \\ c\nd"} 2`,
      'asked_total{plane="dev"} 0.5 1000',
      '',
    ].join('\n'),
  )
})

test('leaves out metrics without samples', () => {
  expect(formatMetrics([{ name: 'up', type: 'gauge', help: 'Never said.', samples: [] }])).toBe('')
})

test.for([
  ['up 1', { name: 'up', labels: {}, value: 1 }],
  [
    'bytes{member="etcd-0",of="x, y"} 1.5e+06',
    { name: 'bytes', labels: { member: 'etcd-0', of: 'x, y' }, value: 1_500_000 },
  ],
  ['at{} 2 1760000000000', { name: 'at', labels: {}, value: 2 }],
] as const)('parses %j', ([line, sample]) => {
  expect(parseSample(line)).toEqual(sample)
})

test('parses no sample from a comment', () => {
  expect(parseSample('# TYPE up gauge').name).toBe('')
})

test('parses what it formats', () => {
  const labels = { plane: 'dev', component: 'etcd' }
  const text = formatMetrics([
    { name: 'up', type: 'gauge', help: 'It is.', samples: [{ labels, value: 1 }] },
  ])

  expect(text.trim().split('\n').map(parseSample).at(-1)).toEqual({ name: 'up', labels, value: 1 })
})
