import { expect, test } from 'vitest'
import { formatMetrics } from '../../../src/shared/text/format-metrics.ts'
import { joinMetrics } from '../../../src/shared/text/join-metrics.ts'

function metricsOf(plane: string, names: readonly string[]): string {
  return formatMetrics(
    names.map((name) => ({
      name,
      type: 'gauge',
      help: `The ${name}.`,
      samples: [{ labels: { plane }, value: 1 }],
    })),
  )
}

test('puts the samples of a metric together, below its help', () => {
  const joined = joinMetrics([metricsOf('a', ['up', 'size']), '', metricsOf('b', ['size', 'age'])])

  expect(joined.split('\n')).toEqual([
    '# HELP up The up.',
    '# TYPE up gauge',
    'up{plane="a"} 1',
    '# HELP size The size.',
    '# TYPE size gauge',
    'size{plane="a"} 1',
    'size{plane="b"} 1',
    '# HELP age The age.',
    '# TYPE age gauge',
    'age{plane="b"} 1',
    '',
  ])
})
