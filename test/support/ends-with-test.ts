import { onTestFinished } from 'vitest'

/** Disposes of something when the test is over. */
export function endsWithTest<Thing extends AsyncDisposable>(thing: Thing): Thing {
  onTestFinished(async () => thing[Symbol.asyncDispose]())
  return thing
}
