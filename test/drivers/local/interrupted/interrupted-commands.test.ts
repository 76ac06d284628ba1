import { expect, test } from 'vitest'
import { afterInterruption, COMMANDS, stepsOf } from './interrupted-machine.ts'

const NAMES = Object.keys(COMMANDS)

// One triple of each command; the slow file tries all.
test.for(NAMES)('%s can be killed on this machine, and any command may follow', async (command) => {
  const steps = await stepsOf(command)
  const index = NAMES.indexOf(command)
  const next = NAMES[(index + 3) % NAMES.length] ?? command

  await afterInterruption({ command, step: 1 + (index % steps), next })

  expect(steps).toBeGreaterThan(0)
})
