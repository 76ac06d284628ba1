import { expect, test } from 'vitest'
import { formatMetrics } from '../../../src/shared/text/format-metrics.ts'

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

test('leaves metrics out that nothing is known of', () => {
  expect(formatMetrics([{ name: 'up', type: 'gauge', help: 'Never said.', samples: [] }])).toBe('')
})
