// A module of its own, so that the bundle holds these prompts and loads them only when somebody is asked.
export { confirm, password, select } from '@inquirer/prompts'
