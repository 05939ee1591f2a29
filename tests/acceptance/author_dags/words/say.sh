echo "{{ ds_nodash }} {% include "footer.txt" %}"
