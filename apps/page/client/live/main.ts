import { LiveApp } from './live-app.ts';

const page = document.querySelector<HTMLElement>('#page');
if (page !== null) new LiveApp(page).start();
