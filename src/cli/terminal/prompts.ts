// A separate module, so that the bundle loads the prompts only for a question.
export { confirm, password, select } from '@inquirer/prompts'
