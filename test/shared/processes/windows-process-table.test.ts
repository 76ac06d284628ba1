import { expect, test } from 'vitest'
import { windowsProcessTable } from '../../../src/shared/processes/windows-process-table.ts'

test('identifies a process by its start time', () => {
  const scripts: string[] = []
  const table = windowsProcessTable((script) => {
    scripts.push(script)
    return '133772832000000000\r\n'
  })

  expect(table.startTimeOf(4711)).toBe('133772832000000000')
  expect(scripts).toEqual([expect.stringMatching(/^Get-Process -Id 4711 /)])
})

test('returns no start time of a process that has ended', () => {
  expect(windowsProcessTable(() => '\r\n').startTimeOf(4711)).toBeUndefined()
})

test.skipIf(process.platform === 'win32')('knows nothing without PowerShell', () => {
  expect(windowsProcessTable().startTimeOf(process.pid)).toBeUndefined()
})

test('needs no boot id to distinguish processes, and finds none by their commands', () => {
  const table = windowsProcessTable()

  expect(table.bootId()).toBe(table.bootId())
  expect(table.findByCommand(() => true)).toEqual([])
})
