import { beforeEach, expect, test, vi } from 'vitest'
import { slowProgress } from '../../src/library/share-plane.ts'

beforeEach(() => {
  vi.useFakeTimers()
  return () => void vi.useRealTimers()
})

test('shows nothing of a quick start', () => {
  const lines: string[] = []
  {
    using progress = slowProgress((line) => lines.push(line))
    progress.log('Starting Kubernetes')
    vi.advanceTimersByTime(9000)
  }
  vi.advanceTimersByTime(60_000)

  expect(lines).toEqual([])
})

test('shows the last line of a slow start, and those that follow', () => {
  const lines: string[] = []
  using progress = slowProgress((line) => lines.push(line))

  progress.log('Looking')
  progress.log('Building etcd')
  vi.advanceTimersByTime(10_000)
  progress.log('Building kube-apiserver')

  expect(lines).toEqual(['Building etcd', 'Building kube-apiserver'])
})

test('shows nothing without a line', () => {
  const lines: string[] = []
  using _progress = slowProgress((line) => lines.push(line))

  vi.advanceTimersByTime(60_000)

  expect(lines).toEqual([])
})
