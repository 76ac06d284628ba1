import { expect, test } from 'vitest'
import { toSvg } from '../../../scripts/record/svg.ts'
import type { Timeline } from '../../../scripts/record/timeline.ts'

const TIMELINE: Timeline = {
  rows: 3,
  ms: 4000,
  typed: [{ row: 0, text: 'vplane list', promptAtMs: 0, fromMs: 500, untilMs: 900 }],
  shown: [
    { row: 1, spans: [{ column: 0, text: 'wait', color: 'cyan' }], fromMs: 1000, untilMs: 2000 },
    { row: 1, spans: [{ column: 0, text: 'NAME   <b> & "c"' }], fromMs: 2000 },
    { row: 2, spans: [{ column: 2, text: 'dev', isDim: true }], fromMs: 2000 },
  ],
}

const SVG = toSvg(TIMELINE, { columns: 40, title: 'A "recording"' })

test('escapes what programs wrote', () => {
  expect(SVG).toContain('&lt;b&gt; &amp; &quot;c&quot;')
  expect(SVG).toContain('aria-label="A &quot;recording&quot;"')
})

test('gives words that stand apart a place of their own', () => {
  const places = SVG.matchAll(/<text x="([\d.]+)"[^>]*>(NAME|&lt;b)/g)

  const [left = 0, right = 0] = [...places].map(([, x]) => Number(x))
  expect(right - left).toBeCloseTo(7 * 8.4)
})

test('hides without animation only what has an end', () => {
  const groups = SVG.matchAll(/<g class="(\w)" style="[^"]*">(?:<text[^>]*>)?([^<]*)/g)

  const kinds = [...groups].map(([, kind, text]) => `${kind} ${text}`)
  expect(kinds).toEqual(['a $', 'a vplane list', 'i wait', 'a NAME', 'a dev'])
  expect(SVG).toContain('.i,.c{opacity:0}')
})

test('has keyframes for every name it uses, and none twice', () => {
  const used = [...SVG.matchAll(/animation-name:(\w+)/g)].map(([, name]) => name)
  const defined = [...SVG.matchAll(/@keyframes (\w+)/g)].map(([, name]) => name)

  expect(new Set(used)).toEqual(new Set(defined))
  expect(defined).toHaveLength(new Set(defined).size)
})

test('fetches nothing and runs nothing', () => {
  expect(SVG.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|url\(|<script|@import/)
})

test('is as tall as its lines ask for', () => {
  const heightOf = (rows: number) =>
    Number(
      /viewBox="0 0 \d+ (\d+)"/.exec(toSvg({ ...TIMELINE, rows }, { columns: 40, title: '' }))?.[1],
    )

  expect(heightOf(10) - heightOf(9)).toBe(20)
})
