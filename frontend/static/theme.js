(()=>{(()=>{try{let t=localStorage.getItem("parley-theme");(t==="light"||t==="dark")&&(document.documentElement.dataset.theme=t)}catch{}})();})();
